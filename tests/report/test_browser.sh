#!/usr/bin/env bash
# test_browser.sh TOOL CLUSTERS: lays out reports in headless Chromium: nothing sticks out of a narrow screen, no texts of
# pictures overlap or are cut off, and the page prints. Skipped (status 77) where there is no Chromium.
set -uo pipefail
tool=$(readlink -f "$1") clusters=$(readlink -f "$2") here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "no Chromium here: skipped" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

chrome() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" "$@" 2>chrome.err
}

chrome --dump-dom 'data:text/html,<p>there</p>' | grep -q there || { cat chrome.err && echo "Chromium does not run here: skipped" && exit 77; }

for spec in three-sites 8x2-cyclic simulated/256-ranks; do
    "$tool" report "$clusters/$spec.json" --bytes 1M -o page.html || { failed=1 && continue; }
    { sed '/<\/body>/,$d' page.html && echo '<script>' && cat "$here/check.js" && printf '</script>\n</body>\n</html>\n'; } >checked.html
    chrome --window-size=1280,900 --virtual-time-budget=5000 --dump-dom "file://$work/checked.html" >dom.html
    body=$(grep -o '<body[^>]*>' dom.html)
    case $body in
    *'data-wide="none"'*'data-overlaps="none"'*) ;;
    *) echo "$spec: ${body:-the page was not loaded: $(cat chrome.err)}" && failed=1 ;;
    esac
done
chrome --no-pdf-header-footer --print-to-pdf="$work/page.pdf" "file://$work/page.html"
[ "$(head -c 4 page.pdf 2>/dev/null)" = %PDF ] || { echo "it does not print: $(cat chrome.err)" && failed=1; }
[ $failed -ne 0 ] || echo "all pages fit"
exit $failed
