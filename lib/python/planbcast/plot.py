"""Pictures with matplotlib. Each function draws into axes, its own if none are given, and returns them."""
import matplotlib.pyplot as plt
import numpy as np


def _axes(ax):
    return ax if ax is not None else plt.subplots()[1]


def links(platform, what="bytes_per_s", ax=None):
    """A heat map of the links, from each rank (rows) to each other: latency_s, s_per_byte or bytes_per_s."""
    ax = _axes(ax)
    image = ax.imshow(platform.matrix(what), cmap="viridis")
    ax.set(xlabel="to rank", ylabel="from rank", title=platform.name)
    ax.figure.colorbar(image, ax=ax, label={"latency_s": "latency [s]", "s_per_byte": "s/B"}.get(what, "B/s"))
    return ax


def ranking(ranking, most=12, ax=None):
    """Predicted times of the best candidates, and the least that the bound allows."""
    ax = _axes(ax)
    shown = [c for c in ranking if np.isfinite(c.predicted_s)][:most][::-1]
    ax.barh([c.name for c in shown], [1e3 * c.predicted_s for c in shown])
    if np.isfinite(ranking.bound_bytes_per_s):
        ax.axvline(1e3 * ranking.bytes / ranking.bound_bytes_per_s, color="red", label="bound")
        ax.legend()
    ax.set(xlabel="predicted time [ms]", title=f"{ranking.bytes} B")
    return ax


def tree(parent, platform=None, ax=None):
    """One tree, parent[rank] (-1: the root), the root at the left; dots of one colour are ranks of one site."""
    ax = _axes(ax)
    parent = np.asarray(parent)
    x, y = _places(parent)
    for rank, above in enumerate(parent):
        if above >= 0:
            ax.plot([x[above], x[rank]], [y[above], y[rank]], color="grey", zorder=1)
    ax.scatter(x, y, c=platform.sites if platform is not None else None, cmap="tab10", s=120, zorder=2)
    for rank in range(len(parent)):
        name = str(rank) if platform is None else f"{rank} ({platform.host_names[platform.hosts[rank]]})"
        ax.annotate(name, (x[rank], y[rank]), xytext=(0, 8), textcoords="offset points", ha="center", fontsize=8)
    ax.set_axis_off()
    return ax


def _places(parent):
    """Depth of each rank, and a height: leaves below each other, and others amid their children."""
    children = [np.flatnonzero(parent == rank) for rank in range(len(parent))]
    depth, height, leaves = np.zeros(len(parent)), np.zeros(len(parent)), 0
    order = list(np.flatnonzero(parent < 0))
    for rank in order:  # it grows: a parent comes before its children
        depth[children[rank]] = depth[rank] + 1
        order.extend(children[rank])
    stack = list(np.flatnonzero(parent < 0))
    while stack:
        rank = stack.pop()
        if len(children[rank]) == 0:
            height[rank], leaves = leaves, leaves + 1
        stack.extend(children[rank])
    for rank in reversed(order):
        if len(children[rank]) > 0:
            height[rank] = height[children[rank]].mean()
    return depth, height
