"""The curves of all runs beside the references, in one picture."""
import published


def draw(path, curves):
    """curves: by case a list of (name, curve); a reference comes first and is drawn in black."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    panels = [("impact", "height")] if "impact" in curves else []
    panels += [("drum", count) for count in published.COUNTS] if "drum" in curves else []
    figure, axes = plot.subplots(1, len(panels), figsize=(5.0 * len(panels), 4.0), squeeze=False)
    for axis, (case, quantity) in zip(axes[0], panels):
        for name, curve in curves[case]:
            style = {"color": "black", "linewidth": 2.0} if name.startswith("reference") else {"linewidth": 1.2}
            axis.plot(curve["time"], curve[quantity], label=name, **style)
        axis.set_xlabel("time, s")
        axis.set_title("height of the ball, m" if case == "impact" else quantity.replace("_", " "))
        axis.grid(True, alpha=0.3)
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plot.close(figure)
