// Marks, in the page's table of contents, the section that is being read, and keeps the mark in sight where the table is
// wider than the screen. It does not scroll the page.

/** A section is being read when it crosses this band of the screen. */
const band = '-30% 0px -65% 0px';

function mark(link: HTMLAnchorElement): void {
  link.setAttribute('aria-current', 'true');
  const list = link.closest('ol');
  const middle = (element: Element): number => {
    const { left, width } = element.getBoundingClientRect();
    return left + width / 2;
  };
  list?.scrollBy({ left: middle(link) - middle(list) });
}

export function markContents(contents: Element): void {
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of contents.querySelectorAll('a')) links.set(link.hash.slice(1), link);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = links.get(target.id);
        if (isIntersecting && link) mark(link);
        else link?.removeAttribute('aria-current');
      }
    },
    { rootMargin: band },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section) observer.observe(section);
  }
}
