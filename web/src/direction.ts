// Which way a text runs, from its own letters.

/** Letters of scripts that run from right to left. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** By the first letter, as dir="auto" has it; but that takes browsers seconds for a megabyte, and this looks at its beginning. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const first = /\p{L}/u.exec(text.slice(0, 1000));
  return first && rightToLeft.test(first[0]) ? 'rtl' : 'ltr';
}
