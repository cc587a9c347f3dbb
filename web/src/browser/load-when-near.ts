// Loads the code of elements when they come near the screen, so that what is looked at first is not kept waiting. The
// page's style sheet keeps their places until then.

import { fill, messages } from '../messages';

type Loaders = Readonly<Record<string, () => Promise<unknown>>>;

const texts = messages('load-when-near', {
  failed: 'The code of this section did not load: {error}',
  retry: 'Try again',
});

/** So far below or above the screen that what is scrolled to is there. */
const margin = '600px 0px';

/**
 * What an element without its code shows is what stands between its tags. A browser may keep a script that failed for as
 * long as the page: trying again is the page anew, whose address holds what the visitor has set.
 */
async function load(target: Element, loader: () => Promise<unknown>): Promise<void> {
  try {
    await loader();
  } catch (error) {
    const told = document.createElement('p');
    told.setAttribute('role', 'alert');
    told.textContent = fill(texts.failed, { error: String(error) });
    const retry = document.createElement('button');
    retry.type = 'button';
    retry.textContent = texts.retry;
    retry.addEventListener('click', () => location.reload());
    target.replaceChildren(told, retry);
  }
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
