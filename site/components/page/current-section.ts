/**
 * The distance below the header, in pixels, at which a section becomes the current one. Links scroll a section to 16 pixels
 * below the header.
 */
const READING_LINE_PX = 32;

/**
 * Marks the link to the section that is being read, in every list of section links. A section begins at the linked heading and
 * ends at the next linked heading.
 */
export function markCurrentSection(lists: Iterable<HTMLElement>): void {
  const links = [...lists].flatMap((list) => [...list.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')]);
  const sections = [...new Set(links.map(({ hash }) => document.getElementById(hash.slice(1))))].filter(
    (section) => section !== null,
  );
  const header = document.querySelector('header')?.offsetHeight ?? 0;
  const readingLineY = header + READING_LINE_PX;
  let currentSection: Element | undefined;

  const markCurrent = () => {
    const passedSections = sections.filter(
      (section) => section.checkVisibility() && section.getBoundingClientRect().top <= readingLineY,
    );
    const newSection = passedSections.at(-1);
    if (newSection === currentSection) return;
    currentSection = newSection;
    for (const link of links) {
      const isCurrent = newSection !== undefined && link.hash === `#${newSection.id}`;
      if (!isCurrent) link.removeAttribute('aria-current');
      else {
        link.setAttribute('aria-current', 'true');
        showInList(link);
      }
    }
  };
  // Called when a section crosses the reading line, in either direction.
  const observer = new IntersectionObserver(markCurrent, { rootMargin: `-${readingLineY}px 0px 0px` });
  for (const section of sections) observer.observe(section);
}

/** Scrolls the list, if it is long, so that a link is visible. `scrollIntoView` could scroll the page as well. */
function showInList({ offsetTop, offsetHeight, offsetParent }: HTMLElement): void {
  if (!offsetParent || offsetParent === document.body) return;
  const { scrollTop, clientHeight } = offsetParent;
  if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight)
    offsetParent.scrollTop = offsetTop - clientHeight / 2;
}
