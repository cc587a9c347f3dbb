// What a visitor has done in the labs, kept in this browser alone. A browser that keeps nothing costs a lab nothing.

/** How a lab ended, as the event `vitrine-lab-result` tells it and as it is kept. */
export interface LabResult {
  lab: string;
  /** The share of right answers, from 0 to 1. */
  score: number;
  passed: boolean;
  /** The chosen option of each question, from 0. */
  answers: number[];
  /** What was predicted before the figure was shown. */
  predicted: string;
}

const key = (lab: string): string => `vitrine-lab-${lab}`;

function isResult(value: unknown, lab: string): value is LabResult {
  const { lab: name, score, passed, answers, predicted } = (value ?? {}) as Partial<Record<keyof LabResult, unknown>>;
  const isScore = typeof score === 'number' && score >= 0 && score <= 1;
  const isWhole = typeof passed === 'boolean' && typeof predicted === 'string' && Array.isArray(answers);
  return name === lab && isScore && isWhole && answers.every(Number.isInteger);
}

/** The kept result of a lab; null when there is none that can be read. */
export function recallResult(lab: string): LabResult | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key(lab)) ?? 'null');
    return isResult(value, lab) ? value : null;
  } catch {
    return null;
  }
}

/** Keeps a result, unless a better one is kept. */
export function keepResult(result: LabResult): void {
  const kept = recallResult(result.lab);
  if (kept && kept.score > result.score) return;
  try {
    localStorage.setItem(key(result.lab), JSON.stringify(result));
  } catch {
    // Storage is full or forbidden: the event has told the result.
  }
}

export function forgetResult(lab: string): void {
  try {
    localStorage.removeItem(key(lab));
  } catch {
    // What cannot be kept need not be forgotten.
  }
}
