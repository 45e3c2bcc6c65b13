// Cells of recurrent networks, taken apart as PyTorch's definitions have it. The gates of a cell stand one after the
// other in the last dimension: input, forget, cell and output of an LSTM; reset, update and new of a GRU.
//
//   LSTM: c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c')
//   GRU:  n = tanh(n_x + sigmoid(r) n_h), h' = n + sigmoid(z) (h - n)
#include "rules/compose.h"

namespace ccgraph::equality {
namespace {

using Gates = std::vector<Array>;

Gates separateGates(Call &call, const Array &joined, int64_t count) {
  const int64_t width = joined.sizes.empty() ? 0 : joined.sizes.back() / count;
  call.require(width > 0 && width * count == joined.sizes.back(),
               llvm::Twine(count) + " gates of " + intListText(joined.sizes));
  if (call.failed())
    return Gates(static_cast<size_t>(count), filled(Kind::Float, {}, 0));
  IntList sizes = joined.sizes;
  sizes.back() = width;
  std::vector<Words> words(static_cast<size_t>(count));
  for (int64_t i = 0; i != joined.count(); ++i)
    words[static_cast<size_t>(i / width % count)].push_back(joined[i]);
  Gates gates;
  for (Words &gate : words)
    gates.push_back(makeArray(Kind::Float, sizes, std::move(gate), joined.digits));
  return gates;
}

Array joinGates(Call &call, const Gates &gates) {
  std::vector<Value> list(gates.begin(), gates.end());
  return applied(call, "aten.cat", {Value(std::move(list)), Value::ofInteger(-1)});
}

Array sigmoid(Call &call, const Array &a) { return applied(call, "aten.sigmoid", {Value(a)}); }
Array tanh(Call &call, const Array &a) { return applied(call, "aten.tanh", {Value(a)}); }
Array complement(const Array &a) {
  return mapWords(a, Kind::Float, [](Word word) { return subtract(fromPlain(1), word); });
}
/// s (1 - s), the slope of a sigmoid with the value s.
Array sigmoidSlope(Call &call, const Array &s) { return times(call, s, complement(s)); }
/// 1 - t^2, the slope of a tanh with the value t.
Array tanhSlope(Call &call, const Array &t) { return complement(times(call, t, t)); }

Array withBias(Call &call, const Array &gates, size_t bias) {
  return call.has(bias) ? sumOf(call, gates, call.floats(bias)) : gates;
}
/// Returns weight * x + bias, by the positions of the weight and of the bias.
Array gatesBy(Call &call, const Array &x, size_t weight, size_t bias) {
  return applied(call, "aten.linear", {Value(x), call.at(weight), call.at(bias)});
}

struct LstmState {
  Array hidden, cell;
  /// after their activations
  Gates gates;
};
LstmState nextLstmState(Call &call, const Array &joined, const Array &cell) {
  Gates gates = separateGates(call, joined, 4);
  for (size_t i = 0; i != 4; ++i)
    gates[i] = i == 2 ? tanh(call, gates[i]) : sigmoid(call, gates[i]);
  Array next = sumOf(call, times(call, gates[1], cell), times(call, gates[0], gates[2]));
  return {times(call, gates[3], tanh(call, next)), next, gates};
}

// lstm_cell(input, [h, c], w_ih, w_hh, b_ih, b_hh) -> (h, c)
Value lstmCellRule(Call &call) {
  const std::vector<Array> state = call.tensors(1);
  call.require(state.size() == 2, "an LSTM cell without h and c");
  if (call.failed())
    return {};
  Array gates = sumOf(call, gatesBy(call, call.floats(0), 2, 4), gatesBy(call, state[0], 3, 5));
  LstmState next = nextLstmState(call, gates, state[1]);
  return Value(std::vector<Value>{Value(next.hidden), Value(next.cell)});
}
// _thnn_fused_lstm_cell(input_gates, hidden_gates, cx, input_bias, hidden_bias) -> (h, c, activated gates)
Value fusedLstmRule(Call &call) {
  Array gates = sumOf(call, withBias(call, call.floats(0), 3), withBias(call, call.floats(1), 4));
  LstmState next = nextLstmState(call, gates, call.floats(2));
  return Value(std::vector<Value>{Value(next.hidden), Value(next.cell), Value(joinGates(call, next.gates))});
}

struct LstmGradients {
  Array gates, cell, bias;
};
// _thnn_fused_lstm_cell_backward_impl(grad_h, grad_c, cx, cy, activated gates, has_bias)
LstmGradients lstmGradients(Call &call) {
  const Gates gates = separateGates(call, call.floats(4), 4);
  const Array &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const Array before = call.floats(2), bounded = tanh(call, call.floats(3));
  const Array zero = filled(Kind::Float, {}, 0);
  const Array hidden = call.has(0) ? call.floats(0) : zero;
  const Array ofCell =
      sumOf(call, times(call, times(call, hidden, out), tanhSlope(call, bounded)), call.has(1) ? call.floats(1) : zero);
  Gates slopes = {times(call, times(call, ofCell, cell), sigmoidSlope(call, in)),
                  times(call, times(call, ofCell, before), sigmoidSlope(call, forget)),
                  times(call, times(call, ofCell, in), tanhSlope(call, cell)),
                  times(call, times(call, hidden, bounded), sigmoidSlope(call, out))};
  if (call.failed())
    return {};
  for (Array &slope : slopes)
    slope = expandedTo(slope, in.sizes);
  Array joined = joinGates(call, slopes);
  return {joined, times(call, ofCell, forget), lineSums(joined, 0)};
}
Value biasGradient(Call &call, size_t hasBias, const Array &sums) {
  return call.flag(hasBias) ? Value(reshaped(sums, {sums.count()})) : Value();
}
Value fusedLstmBackwardImplRule(Call &call) {
  LstmGradients of = lstmGradients(call);
  if (call.failed())
    return {};
  return Value(std::vector<Value>{Value(of.gates), Value(of.cell), biasGradient(call, 5, of.bias)});
}
// The gradients of the gates of input and hidden state are equal, and so are those of the biases.
Value fusedLstmBackwardRule(Call &call) {
  LstmGradients of = lstmGradients(call);
  if (call.failed())
    return {};
  const Value bias = biasGradient(call, 5, of.bias);
  return Value(std::vector<Value>{Value(of.gates), Value(of.gates), Value(of.cell), bias, bias});
}

struct GruState {
  Array hidden;
  Array reset, update, fresh;
  /// the new gate of the hidden state, before it is reset
  Array fromHidden;
};
GruState nextGruState(Call &call, const Array &fromInput, const Array &fromHidden, const Array &hidden) {
  const Gates x = separateGates(call, fromInput, 3), h = separateGates(call, fromHidden, 3);
  GruState state;
  state.reset = sigmoid(call, sumOf(call, x[0], h[0]));
  state.update = sigmoid(call, sumOf(call, x[1], h[1]));
  state.fromHidden = h[2];
  state.fresh = tanh(call, sumOf(call, x[2], times(call, state.reset, h[2])));
  state.hidden = sumOf(call, state.fresh, times(call, state.update, minus(call, hidden, state.fresh)));
  return state;
}

// gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh)
Value gruCellRule(Call &call) {
  Array x = gatesBy(call, call.floats(0), 2, 4), h = gatesBy(call, call.floats(1), 3, 5);
  return Value(nextGruState(call, x, h, call.floats(1)).hidden);
}
// _thnn_fused_gru_cell(input_gates, hidden_gates, hx, input_bias, hidden_bias) -> (h, workspace). The workspace joins
// reset, update, new, the hidden state, and the new gate of the hidden state.
Value fusedGruRule(Call &call) {
  const Array hidden = call.floats(2);
  GruState next = nextGruState(call, withBias(call, call.floats(0), 3), withBias(call, call.floats(1), 4), hidden);
  Array workspace = joinGates(call, {next.reset, next.update, next.fresh, hidden, next.fromHidden});
  return Value(std::vector<Value>{Value(next.hidden), Value(workspace)});
}
// _thnn_fused_gru_cell_backward(grad_h, workspace, has_bias) -> gradients of both gates, of hx, of both biases
Value fusedGruBackwardRule(Call &call) {
  const Array grad = call.floats(0);
  const Gates of = separateGates(call, call.floats(1), 5);
  const Array &reset = of[0], &update = of[1], &fresh = of[2], &hidden = of[3], &fromHidden = of[4];
  Array ofUpdate = times(call, times(call, grad, minus(call, hidden, fresh)), sigmoidSlope(call, update));
  Array ofFresh = times(call, times(call, grad, complement(update)), tanhSlope(call, fresh));
  Array ofReset = times(call, times(call, ofFresh, fromHidden), sigmoidSlope(call, reset));
  Array input = joinGates(call, {ofReset, ofUpdate, ofFresh});
  Array state = joinGates(call, {ofReset, ofUpdate, times(call, ofFresh, reset)});
  if (call.failed())
    return {};
  return Value(std::vector<Value>{Value(input), Value(state), Value(times(call, grad, update)),
                                  biasGradient(call, 2, lineSums(input, 0)),
                                  biasGradient(call, 2, lineSums(state, 0))});
}

} // namespace

llvm::ArrayRef<RuleEntry> cellRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._thnn_fused_gru_cell", fusedGruRule},
      {"aten._thnn_fused_gru_cell_backward", fusedGruBackwardRule},
      {"aten._thnn_fused_lstm_cell", fusedLstmRule},
      {"aten._thnn_fused_lstm_cell_backward", fusedLstmBackwardRule},
      {"aten._thnn_fused_lstm_cell_backward_impl", fusedLstmBackwardImplRule},
      {"aten.gru_cell", gruCellRule},
      {"aten.lstm_cell", lstmCellRule},
  };
  return rules;
}

} // namespace ccgraph::equality
