"""Small random scenes, drawn from all features by a seed: what campaign/hashes.py runs.

Bodies with names stand in cells of their own, so that none overlaps another at the start; what touches comes by falling.
A scene is a table as JSON has it, which YAML reads.
"""
import random

CELL = 0.3  # m: of a body with a name, which is smaller
WORLD = "world"
MATERIALS = ["stone", "mud", "steel"]
CUBE = "cube.stl"


def cube_stl():
    """A closed cube of edge 1, its corner at the origin."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    lines = ["solid cube"]
    for a, b, c, d in sides:
        for triangle in ((a, b, c), (a, c, d)):
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += ["vertex " + " ".join(str(x) for x in corners[k]) for k in triangle]
            lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid cube", ""])


class Maker:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.scene = {"talus": 1, "title": f"campaign {seed}"}
        self.bodies, self.joints, self.springs, self.generators = [], [], [], []
        self.cells = [(i, j, k) for i in range(-2, 3) for j in range(-2, 3) for k in range(0, 3)]
        self.chance.shuffle(self.cells)
        self.count = 0

    # ---- numbers ----

    def among(self, *choices):
        return self.chance.choice(choices)

    def maybe(self, share):
        return self.chance.random() < share

    def number(self, low, high):
        return float(f"{self.chance.uniform(low, high):.4g}")

    def vector(self, size):
        return [self.number(-size, size) for _ in range(3)]

    def axis(self):
        return self.among([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0.6, 0.8])

    def name(self, of):
        self.count += 1
        return f"{of}{self.count}"

    def wave(self, size):
        return f"{self.number(0.2 * size, size)}*sin({self.number(5, 60)}*t)"

    # ---- parts ----

    def settings(self):
        h = self.among(1e-3, 2e-3, 5e-4)
        time = {"step": h, "end": 1.0}
        if self.maybe(0.15):
            time = {"step": "auto", "longest": h, "end": 1.0, "accuracy": self.among(0.005, 0.02)}
        if self.maybe(0.25):
            time["scheme"] = "spook"
        if self.maybe(0.2):
            time["restitution_law"] = "poisson"
        if self.maybe(0.2):
            time["stabilisation"] = self.number(0.05, 1)
        if self.maybe(0.3):
            time["error_share"] = self.among(0, 0.3)
        if self.maybe(0.1):
            time["recovery_speed"] = "unlimited"
        self.scene["time"] = time
        self.scene["gravity"] = self.among([0, 0, -9.81], [0, 0, -9.81], [1, -0.5, -5], [self.wave(3), 0, -9.81], [0, 0, 0])
        law = self.among("coulomb", "coulomb", "associated", "box")
        solver = {"method": self.among("auto", "auto", "auto", "apgd", "pspgfb", "jacobi"), "law": law}
        if self.maybe(0.2):
            solver["measure"] = "natural_velocity"
        if self.maybe(0.15):
            solver["max_iterations"] = self.among(5, 30)
        if self.maybe(0.2):
            solver["tolerance"] = self.among(1e-5, 1e-3)
        if self.maybe(0.1):
            solver["methods"] = ["apgd", "pspgfb"]
            del solver["method"]
        # eight ranks on two cores take a millisecond for each: bits are the same after any number
        solver.setdefault("max_iterations", 500)
        self.scene["solver"] = solver
        self.scene["max_overlap"] = 0.1
        if self.maybe(0.5):
            self.scene["balance"] = "counts"

    def pairs(self):
        self.names = MATERIALS[:self.among(1, 2, 3)]
        self.scene["materials"] = {name: {"density": self.among(1000, 2500, 7850)} for name in self.names}
        box = self.scene["solver"]["law"] == "box"
        pairs = []
        for i, a in enumerate(self.names):
            for b in self.names[:i + 1]:
                pair = {"between": [a, b], "friction": self.among(0, 0.3, 0.6, 1.2)}
                for key, share, low, high in (("restitution", 0.5, 0, 1), ("cohesion", 0.2, 0.01, 0.5)):
                    if self.maybe(share):
                        pair[key] = self.number(low, high)
                if not box and self.maybe(0.3):
                    pair["rolling_radius"] = self.number(1e-4, 2e-3)
                    if self.maybe(0.5):
                        pair["spinning_radius"] = self.number(1e-4, 1e-3)
                if self.maybe(0.2):
                    pair["compliance"] = self.among(1e-7, 3e-7)  # the plate weighs 900 kg
                if box and self.maybe(0.5):
                    pair["friction_axis"] = self.among([1, 0, 0], "slip")
                pairs.append(pair)
        self.scene["pairs"] = pairs

    def domain(self):
        kind = self.among("none", "none", "bounded", "periodic", "both")
        if kind == "none":
            return
        reach = 0.9
        self.scene["domain"] = {"min": [-reach, -reach, -0.4], "max": [reach, reach, 2], "outside": "remove"}
        if kind == "periodic":
            self.scene["domain"]["periodic"] = ["x"]
        if kind == "both":
            self.scene["domain"]["periodic"] = ["x", "y"]

    def place(self):
        """The middle of a cell that nobody has."""
        i, j, k = self.cells.pop()
        return [CELL * i, CELL * j, 0.35 + CELL * k]

    def shape(self):
        kind = self.among("sphere", "sphere", "box", "compound")
        if kind == "sphere":
            return {"type": "sphere", "radius": self.number(0.02, 0.12)}
        if kind == "box":
            return {"type": "box", "size": [self.number(0.03, 0.15) for _ in range(3)]}
        return {"type": "compound", "parts": [
            {"shape": {"type": "sphere", "radius": self.number(0.02, 0.05)}, "position": [-0.04, 0, 0]},
            {"shape": {"type": "box", "size": [0.08, 0.04, 0.03]}, "position": [0.03, 0.01, 0]}]}

    def body(self, of, **keys):
        body = {"name": self.name(of), "material": self.among(*self.names), "position": self.place(), **keys}
        self.bodies.append(body)
        return body

    def add_ground(self):
        floor = {"name": "floor", "motion": "fixed", "material": self.names[0]}
        if self.maybe(0.7):
            floor["shape"] = {"type": "plane", "normal": [0, 0, 1]}
        else:  # one body that many touch
            floor |= {"motion": "fixed", "shape": {"type": "box", "size": [1.6, 1.6, 0.1]}, "position": [0, 0, -0.05]}
        self.bodies.append(floor)
        if self.maybe(0.3):  # the same, but free to move, on a fixed floor
            self.bodies.append({"name": "plate", "material": self.among(*self.names), "position": [0, 0, 0.026],
                                "shape": {"type": "box", "size": [1.5, 1.5, 0.05]}})

    def add_moved(self):
        if self.maybe(0.4):
            movement = {"vibration": {"amplitude": [0, 0, 0.005], "frequency": self.number(5, 40)}}
            if self.maybe(0.5):
                movement["rotation"] = {"axis": self.axis(), "rate": f"min(10*t, {self.number(1, 8)})"}
            if self.maybe(0.3):
                movement = {"displacement": [self.wave(0.02), 0, 0]}
            if self.maybe(0.3):
                movement["velocity"] = [0, self.wave(0.3), 0]
            shape = {"type": "mesh", "file": CUBE, "scale": 0.12} if self.maybe(0.4) else {
                "type": "box", "size": [0.15, 0.15, 0.05]}
            self.body("moved", motion="kinematic", shape=shape, movement=movement)
        if self.maybe(0.3):
            self.body("servo", motion="servo", mass=self.number(0.2, 2), shape={"type": "box", "size": [0.2, 0.2, 0.03]},
                      servo={"axis": [0, 0, -1], "force": f"{self.number(1, 20)}*min(t/0.05, 1)"})

    def add_free(self):
        for _ in range(self.chance.randrange(1, 9)):
            body = self.body("free", shape=self.shape())
            if self.maybe(0.5):
                body["velocity"] = self.vector(2)
            if self.maybe(0.3):
                body["angular_velocity"] = self.vector(20)
            if self.maybe(0.2):
                body["orientation"] = {"axis": self.axis(), "angle": self.number(0, 3)}
            if self.maybe(0.2):
                body["group"] = "herd"

    def add_joint(self):
        loose = [body for body in self.bodies if body["name"].startswith("free")]
        a = self.chance.choice(loose)
        others = [body for body in loose if body is not a]
        b = self.chance.choice(others) if others and self.maybe(0.6) else None
        between = [b["name"] if b else WORLD, a["name"]]
        here = a["position"]
        there = b["position"] if b else [here[0], here[1], here[2] + 0.2]
        kind = self.among("fixed", "spherical", "revolute", "prismatic", "cylindrical", "universal", "distance", "spring")
        if kind == "spring":
            spring = {"name": self.name("spring"), "between": between, "at": [there, here], "stiffness": self.number(10, 500),
                      "damping": self.number(0, 2)}
            self.springs.append(spring)
            return
        joint = {"name": self.name("joint"), "type": kind, "between": between,
                 "position": [0.5 * (x + y) for x, y in zip(here, there)]}
        if kind == "distance":
            joint |= {"position": there, "second_position": here}
            if self.maybe(0.4):
                joint["limits"] = {"way": [0, 2]}
        if kind in ("revolute", "prismatic", "cylindrical", "universal"):
            joint["axis"] = [0, 1, 0]
        if kind == "universal":
            joint["second_axis"] = [1, 0, 0]
        if kind == "revolute" and self.maybe(0.4):
            joint["limits"] = {"angle": [-0.5, 0.7]}
        if kind == "prismatic" and self.maybe(0.4):
            joint["limits"] = {"way": [-0.02, 0.05]}
        if kind in ("revolute", "prismatic") and self.maybe(0.5):
            motor = {"type": self.among("speed", "force", "position"), "value": self.wave(0.5)}
            motor["limit"] = self.number(0.5, 20)
            if motor["type"] == "force":
                del motor["limit"]
            joint["motor"] = motor
        if self.maybe(0.2) and self.scene["time"].get("scheme") == "spook":
            joint["compliance"] = 1e-6
        if self.maybe(0.15):
            joint["on"] = False
        # A second one between two bodies may hold them at a dead point, where no step is short enough.
        if not any(set(other["between"]) == set(between) for other in self.joints):
            self.joints.append(joint)

    def add_generators(self):
        small = {"type": "sphere", "diameter": self.among(
            0.03, {"type": "uniform", "min": 0.02, "max": 0.035},
            {"type": "lognormal", "median": 0.025, "deviation": 0.2, "min": 0.018, "max": 0.035, "by": "mass"},
            {"type": "table", "table": [[0.02, 1], [0.035, 2]]})}
        grain = self.among(small, small, {"type": "box", "size": [0.03, 0.02, 0.02], "factor": {
            "type": "uniform", "min": 0.8, "max": 1}}, {"type": "compound", "parts": [
                {"shape": {"type": "sphere", "radius": 0.012}}, {"shape": {"type": "sphere", "radius": 0.01},
                                                                 "position": [0.012, 0, 0]}]})
        low = 0.06
        if self.maybe(0.5):
            self.generators.append({
                "name": "beads", "type": "lattice", "material": self.among(*self.names), "shape": grain, "spacing": 0.045,
                "region": {"type": "box", "min": [-0.2, -0.2, low], "max": [0.2, 0.2, low + 0.13]}, "jitter": 0.0005,
                "count": self.chance.randrange(5, 90), "seed": self.chance.randrange(100)})
        elif self.maybe(0.5):
            self.generators.append({
                "name": "beads", "type": self.among("random", "packing"), "material": self.among(*self.names), "shape": grain,
                "region": {"type": "box", "min": [-0.2, -0.2, low], "max": [0.2, 0.2, low + 0.13]},
                "solid_fraction": self.among(0.02, 0.05), "orientation": self.among("random", [1, 0, 0, 0])})
        if self.maybe(0.25):
            self.generators.append({
                "name": "rain", "type": "stream", "material": self.among(*self.names), "shape": small, "velocity": [0, 0, -1],
                "region": {"type": "box", "min": [-0.2, -0.2, 1.5], "max": [0.2, 0.2, 1.52]}, "mass_rate": self.number(0.2, 3),
                "from": 0.01, "mass_limit": 0.5})

    def add_forces(self):
        groups = [generator["name"] for generator in self.generators if generator["type"] != "stream"]
        groups += ["herd"] * any(body.get("group") == "herd" for body in self.bodies)
        if groups and self.maybe(0.4):
            self.scene["forces"] = [{"on": self.among(*groups), "acceleration": [self.wave(5), 0, 1]}]

    def add_events(self):
        free = [body["name"] for body in self.bodies if body["name"].startswith("free") and "group" not in body]
        events = []
        for _ in range(self.chance.randrange(0, 4)):
            event = {"at": self.number(0, 0.06)}
            if self.maybe(0.3):
                event = {"when": self.among("t > 0.02 && contacts > 3", "largest_speed > 1.5", "step > 20", "kinetic_energy < 1")}
            kind = self.among("remove", "fix", "switch", "gravity", "add")
            if kind in ("remove", "fix") and free:
                # a body that a joint holds goes with it; one event for each body
                event |= {"type": kind, "target": free.pop()}
            elif kind == "switch" and self.joints:
                event |= {"type": kind, "target": self.among(*self.joints)["name"], "on": False}
            elif kind == "gravity":
                event |= {"type": kind, "value": [self.wave(4), 0, -3]}
            elif kind == "add" and self.cells:
                event |= {"type": kind, "bodies": [{"name": self.name("late"), "material": self.names[0],
                                                    "shape": self.shape(), "position": self.place()}]}
            else:
                continue
            events.append(event)
        if events:
            self.scene["events"] = events

    def add_output(self):
        monitors = [{"name": "energy", "type": "energy", "every": 0.005},
                    {"name": "touching", "type": "coordination", "every": 0.01},
                    {"name": "forces", "type": "forces", "every": 0.01, "bins": 4, "to": 3},
                    {"name": "down", "type": "flow", "every": 0.007, "at": [0, 0, 0.1], "normal": [0, 0, -1]}]
        monitors += [{"name": joint["name"], "type": "reaction", "of": joint["name"], "every": 0.004}
                     for joint in self.joints[:2]]
        self.scene["monitors"] = [monitor for monitor in monitors if self.maybe(0.4)]
        self.scene["output"] = {"log": {"every": self.among(0.002, 0.007)}}

    def make(self):
        self.settings()
        self.pairs()
        self.domain()
        self.add_ground()
        self.add_moved()
        self.add_free()
        for _ in range(self.chance.randrange(0, 5)):
            self.add_joint()
        self.add_generators()
        self.add_forces()
        self.add_events()
        self.add_output()
        for key in ("bodies", "joints", "springs", "generators"):
            if getattr(self, key):
                self.scene[key] = getattr(self, key)
        return self.scene


def made(seed):
    return Maker(seed).make()
