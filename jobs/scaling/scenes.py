"""What studies of scenes (talus run) have of their own; study.py and collect.py use it. No program of its own."""
import shlex

RANKS = "{ranks}"  # in a setting: the number of ranks
STAGES = ("events", "share", "detect", "assemble", "solve", "integrate")


def settings_of(a, ranks):
    return [setting.replace(RANKS, str(ranks)) for setting in a.set]


def problem_of(a, ranks):
    """Which scene it is, in words: runs that have the same ones have the same answer."""
    return " ".join([a.scene.name, *settings_of(a, ranks), f"steps={a.steps}"])


def faults_of_plan(a):
    """What is wrong with the options; those of given problems have no default until this has looked at them."""
    faults = []
    if a.scene is None:
        for option in ("set", "steps"):
            if getattr(a, option):
                faults.append(f"--{option}: is for --scene only; add that or leave it out")
        return faults
    for option in ("problem", "bodies", "law", "iterations"):
        if getattr(a, option) is not None:
            faults.append(f"--{option}: leave it out, the scene says it; --set changes what the scene says")
    if not a.scene.is_file():
        faults.append(f"--scene {a.scene}: is no file; give a scene file (docs/scene_file.md)")
    grows = any(RANKS in setting for setting in a.set)
    if a.kind == "weak" and not grows:
        faults.append("--set: a weak study needs what grows with the ranks, such as --set 'count=8000*{ranks}' and the "
                      "room for it")
    if a.kind != "weak" and grows:
        faults.append("--set: {ranks} is for weak studies; the scene of a strong one is the same on all ranks")
    return faults


def overrides(a, method, ranks):
    settings = [*settings_of(a, ranks), f"solver.method={method}"]
    if a.tolerance is not None:
        settings.append(f"solver.tolerance={a.tolerance!r}")
    return [word for setting in settings for word in ("-s", setting)]


def refused(a, ask):
    """What the program itself would refuse, of every method and of the smallest and the largest scene."""
    faults = []
    for method in a.methods:
        for ranks in dict.fromkeys((min(a.ranks), max(a.ranks) if a.kind == "weak" else min(a.ranks))):
            trial = ask([str(a.talus), "check", str(a.scene), *overrides(a, method, ranks)])
            # a scene too large to be checked in a minute is none that is refused
            if trial is not None and trial[0] != 0:
                faults += trial[2].strip().splitlines()
    return faults


def command(a, run):
    words = [str(a.talus), "run", str(a.scene), "--output", f"results/{run['name']}", "--overwrite", "--steps",
             str(a.steps), "--threads", str(run["threads"]), "--quiet", *overrides(a, run["method"], run["ranks"])]
    return " ".join(shlex.quote(word) for word in words)


def after(run):
    """Of the folder of a run a study keeps the report: states of many runs would fill the disk."""
    return f"mv results/{run['name']}/report.json results/{run['name']}.json && rm -r results/{run['name']}"


def as_answer(report):
    """The report of a run in the words of that of a given problem; others are returned as they are."""
    if "trajectory_hash" not in report:
        return report
    migration, partition = report.get("migration", {}), report.get("partition", {})
    ledger = report.get("ledger", {})
    steps = report["steps_of_this_run"]
    same = {key: report[key] for key in ("bodies", "law", "ranks", "threads", "reproducible", "versions")}
    if report["status"] != "finished":
        same["reproducible"] = "no"
    run = {"steps": steps, "step_s": report["seconds"]["total"] / max(steps, 1),
           "imbalance_of_steps": partition.get("imbalance", 1.0),
           "bodies_moved": migration.get("bodies", 0), "balances": migration.get("balances", 0),
           "balance_share": migration.get("share_of_balances", 0.0),
           "most_ghosts": migration.get("most_ghosts_of_a_rank", 0),
           "wide_bodies": partition.get("wide_bodies", 0),
           "memory_least": report["memory"]["least"], "memory_most": report["memory"]["most"]}
    return same | {"contacts": report["contacts"]["mean"], "error": report["error"]["worst"],
                   "within_tolerance": report["error"]["unconverged_steps"] == 0,
                   "iterations": report["iterations"]["total"], "reductions": ledger.get("reductions", 0),
                   "exchanges": ledger.get("exchanges", 0), "seconds": report["seconds"]["total"],
                   "solution_hash": report["trajectory_hash"], "run": run,
                   "phases": {stage: report["seconds"][stage] for stage in STAGES}
                   | {f"{stage}_most": report["seconds_most"][stage] for stage in STAGES},
                   } | ({"ledger": ledger} if ledger else {})
