/** An element with a class and what stands in it. */
export function made<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

/** A button, and what a press of it does. */
export function pressable(
  className: string,
  onPress: () => void,
  ...content: readonly (Node | string)[]
): HTMLButtonElement {
  const button = made('button', className, ...content);
  button.type = 'button';
  button.addEventListener('click', onPress);
  return button;
}

interface DialogHead {
  readonly title: string;
  /** A word beside the title. */
  readonly badge?: string;
  readonly lead?: string;
}

/** Asks in a dialog of its own; answers what its content settles on, or null once it is closed in another way. */
export function askInDialog<Answer>(
  { title, badge, lead }: DialogHead,
  content: (settle: (answer: Answer | null) => void) => readonly Node[],
): Promise<Answer | null> {
  return new Promise((resolve) => {
    let answer: Answer | null = null;
    const dialog = made('dialog', 'wallet-dialog');
    const settle = (given: Answer | null) => {
      answer = given;
      dialog.close();
    };
    const heading = made('h2', '', title);
    heading.id = 'wallet-dialog-title';
    dialog.setAttribute('aria-labelledby', heading.id);
    if (badge !== undefined) heading.append(' ', made('span', 'badge', badge));
    dialog.append(heading);
    if (lead !== undefined) dialog.append(made('p', '', lead));
    dialog.append(...content(settle));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(answer);
    });
    // A press on what lies behind it closes it, as Escape does.
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog) dialog.close();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
