"""Writes golden/explain/*: small networks as ONNX, two inputs each, and what zennit and captum say of output 1, in double precision.

Relevance begins as the score itself. Numbers lie as rows of points do: the channels of a pixel side by side.
A text file has its makers on the first line, then "= name" and numbers: x (inputs), then one section for each method.
Run with Python 3.11+ and the packages named there: python golden/make_explain.py
"""
import os, warnings
warnings.filterwarnings("ignore")
import captum, captum.attr as ca, numpy as np, onnx, torch, torch.nn as nn, zennit
from captum.attr._utils.lrp_rules import Alpha1_Beta0_Rule, EpsilonRule, GammaRule
from onnx import TensorProto as T, helper as h, numpy_helper as nh
from zennit.attribution import Gradient
from zennit.canonizers import SequentialMergeBatchNorm
from zennit import composites as zc, rules as zr
from zennit.core import collect_leaves
from zennit.types import Activation, AvgPool, BatchNorm, Convolution, Linear
from zennit.layer import Sum

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explain")
MAKER = f"# zennit 0.5.1, captum {captum.__version__}, torch {torch.__version__.split('+')[0]}, golden/make_explain.py"
TARGET, LOW, HIGH = 1, -1.5, 2.0
torch.set_default_dtype(torch.float64)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1), nn.Linear(4 * 36, 3)
        self.r, self.s, self.add, self.flat = nn.ReLU(), nn.ReLU(), Sum(), nn.Flatten()

    def forward(self, x):
        x = self.r(self.a(x))
        x = self.s(self.add(torch.stack([x, self.b(x)], -1)))
        return self.c(self.flat(x))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(2, 3, 3, padding=1), nn.Conv2d(2, 2, 5, padding=2)
        self.c, self.d = nn.Conv2d(5, 4, 3, stride=2), nn.Linear(16, 3)
        self.r, self.s, self.t, self.flat = nn.ReLU(), nn.ReLU(), nn.ReLU(), nn.Flatten()

    def forward(self, x):
        x = torch.cat([self.r(self.a(x)), self.s(self.b(x))], 1)
        return self.d(self.flat(self.t(self.c(x))))


NETS = {
    "dense": (lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 7), nn.ReLU(), nn.Linear(7, 3)), (6,)),
    "tanh": (lambda: nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)), (6,)),
    "conv": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 5, 3), nn.ReLU(), nn.Flatten(), nn.Linear(20, 3)), (2, 8, 8)),
    "average": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(4, 6, 3, padding=1, groups=2), nn.ReLU(), nn.Flatten(), nn.Linear(54, 3)), (2, 8, 8)),
    "norm": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3)), (2, 6, 6)),
    "residual": (Residual, (2, 6, 6)),
    "branches": (Branches, (2, 6, 6)),
}


class Writer:
    """An ONNX graph written down operation by operation."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def add(self, op, x, weights=(), **attributes):
        names = list(x)
        for w in weights:
            self.weights.append(nh.from_array(w.detach().numpy().astype(np.float64), f"w{len(self.weights)}"))
            names.append(self.weights[-1].name)
        self.count += 1
        self.nodes.append(h.make_node(op, names, [f"t{self.count}"], name=f"{op.lower()} {self.count}", **attributes))
        return f"t{self.count}"

    def layer(self, m, x):
        if isinstance(m, nn.Linear): return self.add("Gemm", [x], [m.weight, m.bias], transB=1)
        if isinstance(m, nn.Conv2d): return self.add("Conv", [x], [m.weight, m.bias], kernel_shape=list(m.kernel_size), strides=list(m.stride), pads=list(m.padding) * 2, group=m.groups)
        if isinstance(m, nn.ReLU): return self.add("Relu", [x])
        if isinstance(m, nn.Tanh): return self.add("Tanh", [x])
        if isinstance(m, nn.MaxPool2d): return self.add("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
        if isinstance(m, nn.AvgPool2d): return self.add("AveragePool", [x], kernel_shape=[2, 2], strides=[2, 2])
        if isinstance(m, nn.Flatten): return self.add("Flatten", [x], axis=1)
        return self.add("BatchNormalization", [x], [m.weight, m.bias, m.running_mean, m.running_var], epsilon=m.eps)

    def model(self, net, shape):
        if isinstance(net, nn.Sequential):
            y = "x"
            for m in net: y = self.layer(m, y)
        elif isinstance(net, Residual):
            a = self.layer(net.r, self.layer(net.a, "x"))
            y = self.layer(net.c, self.layer(net.flat, self.layer(net.s, self.add("Add", [a, self.layer(net.b, a)]))))
        else:
            both = self.add("Concat", [self.layer(net.r, self.layer(net.a, "x")), self.layer(net.s, self.layer(net.b, "x"))], axis=1)
            y = self.layer(net.d, self.layer(net.flat, self.layer(net.t, self.layer(net.c, both))))
        info = lambda name, s: h.make_tensor_value_info(name, T.DOUBLE, ["n", *s])
        graph = h.make_graph(self.nodes, "g", [info("x", shape)], [info(y, (3,))], self.weights)
        return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)


def composite(linear, convolution=None, first=None, norms=()):
    base = [(Activation, zr.Pass()), (Sum, zr.Norm()), (AvgPool, zr.Norm()), *norms]
    layers = base + [(Convolution, convolution or linear), (Linear, linear)]
    return zc.LayerMapComposite(layers) if first is None else zc.SpecialFirstLayerMapComposite(layers, [(Convolution, first)])


def zennits(has_norm):
    c = dict(canonizers=[SequentialMergeBatchNorm()])
    all = {
        "lrp-epsilon": composite(zr.Epsilon(1e-6)), "lrp-epsilon epsilon=0.25": composite(zr.Epsilon(0.25)),
        "lrp-gamma": composite(zr.Gamma(0.25)), "lrp-gamma gamma=2": composite(zr.Gamma(2.0)),
        "lrp-alpha-beta": composite(zr.AlphaBeta(2, 1)), "lrp-zplus": composite(zr.ZPlus()),
        "lrp-w-square": composite(zr.WSquare(zero_params=["bias"])), "lrp-flat": composite(zr.Flat()),
        "lrp-composite": composite(zr.Epsilon(1e-6), zr.AlphaBeta(1, 0)),
        "lrp-epsilon-plus": zc.EpsilonPlus(), "lrp-epsilon-plus-flat": zc.EpsilonPlusFlat(),
        "lrp-epsilon-gamma-box": zc.EpsilonGammaBox(low=torch.tensor(LOW), high=torch.tensor(HIGH)),
        "lrp-epsilon-alpha2-beta1": zc.EpsilonAlpha2Beta1(), "lrp-epsilon-alpha2-beta1-flat": zc.EpsilonAlpha2Beta1Flat(),
        "excitation-backprop": zc.ExcitationBackprop(zero_params=["bias"]),
    }
    if has_norm:
        plain = {"lrp-epsilon-plus batch_norm=pass": zc.EpsilonPlus()}
        for a in all.values(): a.canonizers = c["canonizers"]
        all.update(plain)
    return all


def numbers(values):
    a = values.detach().numpy()
    return [f"{v:.9g}" for v in (np.moveaxis(a, 1, -1) if a.ndim == 4 else a).ravel()]


def captums(net, name, shape):
    """Captum's methods as functions of the input."""
    image = len(shape) == 3
    last = [m for m in net.modules() if isinstance(m, (nn.ReLU, nn.Tanh))][-1]
    all = {
        "gradient": lambda x: ca.Saliency(net).attribute(x, TARGET, abs=False),
        "abs-gradient": lambda x: ca.Saliency(net).attribute(x, TARGET),
        "input-gradient": lambda x: ca.InputXGradient(net).attribute(x, TARGET),
        "integrated-gradients steps=32": lambda x: ca.IntegratedGradients(net).attribute(x, target=TARGET, n_steps=32, method="riemann_middle"),
        "integrated-gradients steps=20 reference=0.3": lambda x: ca.IntegratedGradients(net).attribute(x, torch.full_like(x, 0.3), TARGET, n_steps=20, method="riemann_middle"),
        "occlusion patch=3" if image else "occlusion": lambda x: ca.Occlusion(net).attribute(x, (shape[0], 3, 3) if image else (1,), (shape[0], 3, 3) if image else (1,), target=TARGET),
    }
    # Not where a maximum follows a rectifier: captum's rectifier then sees what came before the maximum's own rule.
    # There its numbers do not even add up (with reference 0.3 by 0.003 of a score of 0.015).
    if name != "conv":
        all["deep-lift"] = lambda x: ca.DeepLift(net).attribute(x, torch.zeros_like(x), TARGET)
        all["deep-lift reference=0.3"] = lambda x: ca.DeepLift(net).attribute(x, torch.full_like(x, 0.3), TARGET)
    if name in ("dense", "conv", "average"):
        def lrp(rule):
            def f(x):
                for m in net:
                    if isinstance(m, (nn.Linear, nn.Conv2d)): m.rule = rule()
                    elif not isinstance(m, nn.ReLU): m.rule = EpsilonRule(1e-30)
                return ca.LRP(net).attribute(x, TARGET)
            return f
        all["lrp-epsilon epsilon=1e-5 stabiliser=1e-12"] = lrp(lambda: EpsilonRule(1e-5))
        all["lrp-gamma gamma=0.5 signs=weights stabiliser=1e-9"] = lrp(lambda: GammaRule(0.5))
        all["lrp-zplus signs=weights stabiliser=1e-9"] = lrp(Alpha1_Beta0_Rule)
    if not image:
        all["shapley"] = lambda x: ca.ShapleyValues(net).attribute(x, torch.zeros_like(x), TARGET)
    if name != "tanh":
        all["guided-backprop"] = lambda x: ca.GuidedBackprop(net).attribute(x, TARGET)
        all["deconvnet"] = lambda x: ca.Deconvolution(net).attribute(x, TARGET)
    if name in ("conv", "average"):
        def cam(x):
            g = ca.LayerGradCam(net, last).attribute(x, TARGET, relu_attributions=True)
            g = torch.nn.functional.interpolate(g, shape[1:], mode="bilinear", align_corners=False)
            return g.expand(-1, shape[0], -1, -1) / shape[0]
        all["grad-cam"] = cam
    return all


os.makedirs(HERE, exist_ok=True)
for place, (name, (build, shape)) in enumerate(NETS.items()):
    torch.manual_seed(place)
    net = build()
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.eps = 1e-12  # zennit's merged layer keeps it, and with it a factor
            m.weight.data.uniform_(-1.0, 2.0), m.bias.data.uniform_(-0.5, 0.5)
            m.running_mean.uniform_(-0.3, 0.3), m.running_var.uniform_(0.3, 1.5)
    net.eval()
    x = (torch.rand(2, *shape) * 2600 - 1100).round() / 1000
    model = Writer().model(net, shape)
    onnx.checker.check_model(model)
    open(os.path.join(HERE, name + ".onnx"), "wb").write(model.SerializeToString())
    one = torch.eye(3)[[TARGET] * 2]
    lines = [MAKER, "= x", *numbers(x)]
    has_norm = any(isinstance(m, nn.BatchNorm2d) for m in net.modules())
    for method, c in zennits(has_norm).items():
        # Two layers meet the inputs there; zennit's composites call one of them the first.
        if name == "branches" and method in ("lrp-epsilon-plus-flat", "lrp-epsilon-gamma-box", "lrp-epsilon-alpha2-beta1-flat"): continue
        if method == "lrp-epsilon-gamma-box": method += f" low={LOW} high={HIGH}"
        if method == "excitation-backprop" and name == "tanh": continue
        with Gradient(model=net, composite=c) as attributor:
            _, r = attributor(x.clone(), lambda out: out * one)
        lines += ["= " + method, *numbers(r)]
    for method, f in captums(net, name, shape).items():
        r = f(x.clone().requires_grad_(True))
        lines += ["= " + method, *numbers(r)]
    open(os.path.join(HERE, name + ".txt"), "w").write("\n".join(lines) + "\n")
    print(name, len(lines))
