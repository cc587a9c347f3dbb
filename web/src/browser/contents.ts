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

/** Above the first section none is being read, and the table is seen from its beginning. */
function showBeginning(contents: Element, section: Element): void {
  if (section.getBoundingClientRect().top > 0) contents.querySelector('ol')?.scrollTo({ left: 0 });
}

export function markContents(contents: Element): void {
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of contents.querySelectorAll('a')) links.set(link.hash.slice(1), link);
  const sections = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = links.get(target.id);
        if (isIntersecting && link) mark(link);
        else link?.removeAttribute('aria-current');
      }
      const [first] = sections;
      if (first && contents.querySelector('[aria-current]') === null) showBeginning(contents, first);
    },
    { rootMargin: band },
  );
  for (const section of sections) observer.observe(section);
}
