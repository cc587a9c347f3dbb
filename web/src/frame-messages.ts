// What embed.html's address says, and what frame and parent say to each other. It opens no frame and shows nothing.

/** From the frame to its parent. `height` is in CSS pixels. */
export type ToParent =
  | { vitrine: 'height'; height: number }
  | { vitrine: 'event'; type: string; detail: unknown }
  | { vitrine: 'address'; href: string };

/** From the parent to the frame: `vitrine` is "messages", with texts in the place of others, or "appearance". */
export interface ToFrame extends Appearance {
  vitrine: 'messages' | 'appearance';
  texts: Record<string, string>;
}

export interface Appearance {
  theme: 'light' | 'dark' | 'auto';
  lang: string;
  dir: 'ltr' | 'rtl';
}

export interface FrameState extends Appearance {
  element: string;
  /** Parts that are not shown, by name, with blanks between them. */
  hide: string;
  /** The one origin that the frame talks to. */
  origin: string;
  /** All else that the address names. */
  attributes: Array<[string, string]>;
}

const own = ['element', 'theme', 'lang', 'dir', 'hide', 'origin'];

function originOf(value: string | null, fallback: string): string {
  try {
    // Of a data: or file: address the origin is the text "null", which would be everybody's.
    const { protocol, origin } = new URL(value ?? fallback);
    return /^https?:$/.test(protocol) ? origin : fallback;
  } catch {
    return fallback;
  }
}

export function readAppearance(values: URLSearchParams): Appearance {
  const lang = values.get('lang') ?? '';
  const theme = values.get('theme');
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    lang: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(lang) ? lang : 'en',
    dir: values.get('dir') === 'rtl' ? 'rtl' : 'ltr',
  };
}

/** Reads an address's query. What it does not say, or says wrongly, is as it is by default. */
export function readFrame(search: string, ownOrigin: string): FrameState {
  const values = new URLSearchParams(search);
  return {
    ...readAppearance(values),
    element: values.get('element') ?? 'vitrine-autocomplete',
    hide: (values.get('hide') ?? '').replaceAll(',', ' '),
    origin: originOf(values.get('origin'), ownOrigin),
    attributes: [...values].filter(([name]) => !own.includes(name)),
  };
}

export function postToParent(origin: string, message: ToParent): void {
  if (window.parent !== window) window.parent.postMessage(message, origin);
}
