// Loads the code of elements when they come near the screen, so that what is looked at first is not kept waiting. The
// page's style sheet keeps their places until then.

type Loaders = Readonly<Record<string, () => Promise<unknown>>>;

/** So far below or above the screen that what is scrolled to is there. */
const margin = '600px 0px';

/** `loaders` has, by an element's name, what defines it. */
export function loadWhenNear(loaders: Loaders): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void loaders[target.localName]?.();
      }
    },
    { rootMargin: margin },
  );
  for (const target of document.querySelectorAll(Object.keys(loaders).join(','))) observer.observe(target);
}
