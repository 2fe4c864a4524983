import { createElement } from '../../shell/elements.ts';

/** Creates a link, which opens in a new tab if it leads to another site. */
export function createLink(
  className: string,
  href: string,
  ...content: readonly (Node | string)[]
): HTMLAnchorElement {
  const link = createElement('a', className, ...content);
  link.href = href;
  if (link.origin !== location.origin) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return link;
}
