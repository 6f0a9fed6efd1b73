/** The files of the end-to-end tests. */

export const STATS = `def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)


def add(a, b):
    return
`;

export const REWRITTEN = STATS.replace(
  `    total = 0
    for value in values:
        total += value
    return total / len(values)`,
  `    if not values:
        return 0.0
    total = sum(values)
    return total / len(values)`,
);

export const GREET = 'def greet(name):\n    smile = "🙂🙂"; return name\n';

export const HOLES = "first = ...\nsecond = 2\nthird = ___\n";
