type Content = readonly (Node | string)[];

/** @param content strings become text, never markup */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...content: Content
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

export function createButton(className: string, onPress: () => void, ...content: Content): HTMLButtonElement {
  const button = createElement('button', className, ...content);
  button.type = 'button';
  button.addEventListener('click', onPress);
  return button;
}

/** The link opens in a new tab if it leads to another site. */
export function createLink(className: string, href: string, ...content: Content): HTMLAnchorElement {
  const link = createElement('a', className, ...content);
  link.href = href;
  if (link.origin !== location.origin) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return link;
}

/** @throws {Error} if the element is missing */
export function requireElement<Kind extends Element = HTMLElement>(root: ParentNode, selector: string): Kind {
  const found = root.querySelector<Kind>(selector);
  if (!found) throw new Error(`No ${selector}`);
  return found;
}
