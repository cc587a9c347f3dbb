// The options of a policy as a form holds them: texts, turned into what the engine is given. The engine alone judges
// them: what is typed goes through as it is, and an empty field is an option that is not given.

export const modes = ['greedy', 'sample'] as const;
export type Mode = (typeof modes)[number];

/** Options that have an effect in mode "sample" only. */
export const samplingOptions = ['temperature', 'top_k', 'top_p', 'min_p', 'seed'] as const;
const numberOptions = [...samplingOptions, 'max_new_tokens'] as const;
export type NumberOption = (typeof numberOptions)[number];

export interface PolicyFields {
  mode: Mode;
  numbers: Readonly<Record<NumberOption, string>>;
  /** One stop string a line, with \n, \t and \\ for what a line cannot hold. */
  stop: string;
}

export const initialFields: PolicyFields = {
  mode: 'sample',
  numbers: { temperature: '0.8', top_k: '', top_p: '0.95', min_p: '', seed: '7', max_new_tokens: '48' },
  stop: '',
};

const decimalNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * A number where one was typed, as JSON spells it ("010" is none); what else there is the engine refuses by name. So it does
 * what is beyond 2^53 - 1: as a number it would be another one, without a word.
 */
export function numberOrText(text: string): number | string {
  const trimmed = text.trim();
  const number = Number(trimmed);
  return decimalNumber.test(trimmed) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : trimmed;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' };

function stopStrings(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.replaceAll(/\\([nt\\])/g, (_, letter: string) => escapes[letter] ?? letter));
}

/** The options that the form gives. In mode "greedy" the sampling fields are put away, so they are not given. */
export function policyOptions({ mode, numbers, stop }: PolicyFields): Record<string, unknown> {
  const options: Record<string, unknown> = { mode };
  for (const name of numberOptions) {
    const isIdle = mode === 'greedy' && (samplingOptions as readonly string[]).includes(name);
    if (!isIdle && numbers[name].trim() !== '') options[name] = numberOrText(numbers[name]);
  }
  const strings = stopStrings(stop);
  if (strings.length > 0) options['stop'] = strings;
  return options;
}

/** Which of these options an error of the engine speaks of: its message names it. */
export function optionNamed<Name extends string>(message: string, names: readonly Name[]): Name | null {
  return names.find((name) => new RegExp(`(^|[^a-z_])${name}([^a-z_]|$)`).test(message)) ?? null;
}

/** Whether an error of the engine speaks of this option. */
export function speaksOf(error: { message: string } | null, option: string): boolean {
  return error !== null && optionNamed(error.message, [option]) !== null;
}

/** Which field an error of the engine speaks of. */
export function fieldOf(message: string): NumberOption | 'mode' | 'stop' | null {
  return optionNamed(message, [...numberOptions, 'mode', 'stop'] as const);
}
