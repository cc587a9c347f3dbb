// vitrine-frame.js, for a page that shows embed.html in <iframe data-vitrine>: gives each frame the height that it asks for,
// and dispatches on it, as events, what its element tells. A message counts only from the frame's own window and origin.

import type { ToParent } from './frame-messages';

/** Higher than any element is; a frame that asks for more is not one of ours. */
const mostPixels = 20_000;

function frameOf(source: MessageEventSource | null, origin: string): HTMLIFrameElement | undefined {
  const frames = [...document.querySelectorAll<HTMLIFrameElement>('iframe[data-vitrine]')];
  return frames.find((frame) => frame.contentWindow === source && new URL(frame.src, document.baseURI).origin === origin);
}

window.addEventListener('message', ({ data, origin, source }: MessageEvent<ToParent>) => {
  const frame = frameOf(source, origin);
  if (!frame || typeof data !== 'object' || data === null) return;
  if (data.vitrine === 'height' && data.height > 0 && data.height <= mostPixels) {
    // A property of the style object: a Content-Security-Policy does not forbid it.
    frame.style.height = `${Math.ceil(data.height)}px`;
  } else if (data.vitrine === 'event' && /^vitrine-[a-z-]+$/.test(data.type)) {
    frame.dispatchEvent(new CustomEvent(data.type, { detail: data.detail, bubbles: true }));
  } else if (data.vitrine === 'address') {
    frame.dispatchEvent(new CustomEvent('vitrine-address', { detail: String(data.href), bubbles: true }));
  }
});
