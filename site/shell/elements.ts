type Content = readonly (Node | string)[];

/** Creates an element with a class and content. Strings become text, never markup. */
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

/** Finds an element that must exist. @throws {Error} if it is missing */
export function findPart<Kind extends Element = HTMLElement>(root: ParentNode, selector: string): Kind {
  const found = root.querySelector<Kind>(selector);
  if (!found) throw new Error(`There is no ${selector}.`);
  return found;
}

/** Runs a task once, when an element is within `margin` pixels of the viewport. */
export function whenNear(element: Element, margin: number, task: () => void): void {
  const check: IntersectionObserverCallback = (entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    task();
  };
  new IntersectionObserver(check, { rootMargin: `${margin}px` }).observe(element);
}
