"""Optimizers, as programs write them; each returns the new parameters and states, [(name, value)]."""
import torch


def sgd(p, g, states):
    return {name: p[name] - 0.1 * g[name] for name in p}, {}


def momentum(p, g, states):
    new = {name: states["m", name] * 0.9 + g[name] for name in p}
    return {name: torch.add(p[name], new[name] + 0.1 * p[name], alpha=-0.05) for name in p}, {"m": new}


def adamw(p, g, states):
    parameters, m, v = {}, {}, {}
    for name in p:
        m[name] = torch.lerp(states["m", name], g[name], 0.1)
        v[name] = states["v", name] * 0.99 + (1 - 0.99) * g[name] * g[name]
        step = (m[name] / 0.271) / ((v[name] / 0.0297).sqrt() + 1e-8)
        parameters[name] = p[name] * (1 - 0.01 * 0.1) - 0.01 * step
    return parameters, {"m": m, "v": v}


def foreach(p, g, states):
    names = list(p)
    parameters, grads = list(p.values()), [g[name] for name in names]
    m, v = ([states[state, name] for name in names] for state in "mv")
    m = torch._foreach_lerp(m, grads, 0.1)
    v = torch._foreach_addcmul(torch._foreach_mul(v, 0.99), grads, grads, 0.01)
    bound = torch._foreach_add(torch._foreach_div(torch._foreach_sqrt(v), 0.1723), 1e-8)
    parameters = torch._foreach_addcdiv(torch._foreach_mul(parameters, 0.999), m, bound, -0.0369)
    return dict(zip(names, parameters)), {"m": dict(zip(names, m)), "v": dict(zip(names, v))}


def rmsprop(p, g, states):
    v = {name: torch.addcmul(states["v", name] * 0.9, g[name], g[name], value=0.1) for name in p}
    return {name: torch.addcdiv(p[name], g[name], v[name].sqrt().add(1e-8), value=-0.01) for name in p}, {"v": v}


def adagrad(p, g, states):
    v = {name: states["v", name] + g[name].square() for name in p}
    return {name: p[name] - 0.01 * g[name] / (v[name].sqrt() + 1e-8) for name in p}, {"v": v}


OPTIMIZERS = {"sgd": sgd, "momentum": momentum, "adamw": adamw, "foreach": foreach, "rmsprop": rmsprop,
              "adagrad": adagrad}


def update(kind, p, g, states):
    parameters, new = OPTIMIZERS[kind](p, g, states)
    return [("new." + name, value) for name, value in parameters.items()] + \
        [(f"new.{state}.{name}", value) for state in new for name, value in new[state].items()]
