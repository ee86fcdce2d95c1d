// Appended to a page by test_browser.sh. For some widths of the screen: does anything but what scrolls by itself stick
// out, and do texts of a picture overlap? The answers become attributes of the body.
window.addEventListener('load', () => {
    const scrolls = (e) => e.closest('.wide') !== null;
    const wide = [];
    for (const width of [360, 768, 1280]) {
        document.documentElement.style.width = width + 'px';
        for (const e of document.querySelectorAll('body *'))
            if (!scrolls(e) && e.getBoundingClientRect().right > width + 1) wide.push(width + ':' + e.tagName + '.' + e.getAttribute('class'));
    }
    const overlaps = [];
    for (const svg of document.querySelectorAll('svg')) {
        const box = [...svg.querySelectorAll('text')].filter((t) => !(t.getAttribute('transform') || '').includes('rotate'))
            .map((t) => [t, t.getBoundingClientRect()]);
        for (let i = 0; i < box.length; i++)
            for (let k = i + 1; k < box.length; k++) {
                const a = box[i][1], b = box[k][1];
                if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
                    overlaps.push(box[i][0].textContent + '/' + box[k][0].textContent);
            }
        const outer = svg.getBoundingClientRect();
        for (const t of svg.querySelectorAll('text')) {
            const r = t.getBoundingClientRect();
            if (r.left < outer.left - 1 || r.right > outer.right + 1 || r.top < outer.top - 1 || r.bottom > outer.bottom + 1)
                overlaps.push('cut off: ' + t.textContent);
        }
    }
    document.body.setAttribute('data-wide', wide.slice(0, 5).join(' ') || 'none');
    document.body.setAttribute('data-overlaps', overlaps.slice(0, 5).join(' ') || 'none');
});
