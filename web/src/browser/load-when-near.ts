// Loads the code of elements when they come near the screen, so that what is looked at first is not kept waiting. The
// page's style sheet keeps their places until then.

import { fill, messages } from '../messages';

type Loaders = Readonly<Record<string, () => Promise<unknown>>>;

const texts = messages('load-when-near', {
  failed: 'The code of this section did not load: {error}',
  failed_again: 'The code of this section did not load again: {error}. If it never does, load the page anew: its address keeps what you set.',
  retry: 'Try again',
});

/** So far below or above the screen that what is scrolled to is there. */
const margin = '600px 0px';

/**
 * What an element without its code shows is what stands between its tags. Trying again loads nothing but the code: the
 * page stays, with what was generated and trained on it, be there a network or none.
 */
async function load(target: Element, loader: () => Promise<unknown>): Promise<void> {
  const told = document.createElement('p');
  told.setAttribute('role', 'alert');
  const retry = document.createElement('button');
  retry.type = 'button';
  retry.textContent = texts.retry;
  const attempt = async (sentence: string): Promise<void> => {
    try {
      await loader();
      target.replaceChildren();
    } catch (error) {
      told.textContent = fill(sentence, { error: String(error) });
      // It stays where it is, with the focus, when it has failed again.
      if (!retry.isConnected) target.replaceChildren(told, retry);
    }
  };
  retry.addEventListener('click', () => void attempt(texts.failed_again));
  await attempt(texts.failed);
}

/** `loaders` has, by an element's name, what defines it. */
export function loadWhenNear(loaders: Loaders): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const loader = loaders[target.localName];
        if (!isIntersecting || !loader) continue;
        observer.unobserve(target);
        void load(target, loader);
      }
    },
    { rootMargin: margin },
  );
  for (const target of document.querySelectorAll(Object.keys(loaders).join(','))) observer.observe(target);
}
