export interface FittedExample<Evidence> {
  readonly evidence: Evidence;
  readonly isRight: boolean;
  readonly importance: number;
}

const STEPS = 1_000;
const RATE = 0.5;
/** The ridge penalty. It keeps weights small if few examples support them. */
const RIDGE = 1e-3;
const DECIMALS = 3;

const round = (value: number) => Number(value.toFixed(DECIMALS));

/** Logistic regression by gradient descent (AdaGrad) on standardized numbers. The same examples give the same weights. */
export function fitLogistic<Name extends string>(
  examples: readonly FittedExample<Readonly<Record<Name, number>>>[],
): { readonly base: number; readonly weights: Readonly<Record<Name, number>> } {
  const [first] = examples;
  const names = Object.keys(first?.evidence ?? {}) as Name[];
  const total = examples.reduce((sum, { importance }) => sum + importance, 0);
  const meanOf = (read: (evidence: Readonly<Record<Name, number>>) => number) =>
    examples.reduce((sum, { evidence, importance }) => sum + read(evidence) * importance, 0) / total;
  const scales = names.map((name) => {
    const mean = meanOf((evidence) => evidence[name]);
    return { mean, deviation: Math.sqrt(meanOf((evidence) => (evidence[name] - mean) ** 2)) || 1 };
  });
  const rows = examples.map(({ evidence, isRight, importance }) => ({
    // The last value belongs to the intercept.
    values: [
      ...names.map((name, at) => (evidence[name] - (scales[at]?.mean ?? 0)) / (scales[at]?.deviation ?? 1)),
      1,
    ],
    label: Number(isRight),
    share: importance / total,
  }));
  const weights = [...names.map(() => 0), 0];
  const squares = weights.map(() => 1e-8);
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = weights.map((weight, at) => (at < names.length ? RIDGE * weight : 0));
    for (const { values, label, share } of rows) {
      const score = values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
      const error = (1 / (1 + Math.exp(-score)) - label) * share;
      for (const [at, value] of values.entries()) gradient[at] = (gradient[at] ?? 0) + error * value;
    }
    for (const [at, slope] of gradient.entries()) {
      squares[at] = (squares[at] ?? 0) + slope ** 2;
      weights[at] = (weights[at] ?? 0) - (RATE * slope) / Math.sqrt(squares[at] ?? 1);
    }
  }
  const unscaledWeights = names.map(
    (name, at) => [name, (weights[at] ?? 0) / (scales[at]?.deviation ?? 1)] as const,
  );
  const base = unscaledWeights.reduce(
    (sum, [, weight], at) => sum - weight * (scales[at]?.mean ?? 0),
    weights.at(-1) ?? 0,
  );
  return {
    base: round(base),
    weights: Object.fromEntries(unscaledWeights.map(([name, weight]) => [name, round(weight)])) as Record<
      Name,
      number
    >,
  };
}
