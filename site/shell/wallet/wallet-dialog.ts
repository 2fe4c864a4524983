import { createElement } from '../elements.ts';

interface DialogHead {
  readonly title: string;
  /** A label beside the title. */
  readonly badge?: string;
  readonly lead?: string;
  /** Whether the dialog is in English on every page, as the dialogs of the demo wallet are. */
  readonly isEnglish?: boolean;
}

/** Opens a dialog. @returns the visitor's answer; null if the dialog is closed without one */
export function askInDialog<Answer>(
  { title, badge, lead, isEnglish = false }: DialogHead,
  createContent: (settle: (answer: Answer | null) => void) => readonly Node[],
): Promise<Answer | null> {
  return new Promise((resolve) => {
    let answer: Answer | null = null;
    const dialog = createElement('dialog', 'wallet-dialog');
    if (isEnglish) Object.assign(dialog, { lang: 'en', dir: 'ltr' });
    const settle = (newAnswer: Answer | null) => {
      answer = newAnswer;
      dialog.close();
    };
    const heading = createElement('h2', '', title);
    heading.id = 'wallet-dialog-title';
    dialog.setAttribute('aria-labelledby', heading.id);
    if (badge !== undefined) heading.append(' ', createElement('span', 'badge', badge));
    dialog.append(heading);
    if (lead !== undefined) dialog.append(createElement('p', '', lead));
    dialog.append(...createContent(settle));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(answer);
    });
    // A click on the backdrop closes the dialog, as Escape does.
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog) dialog.close();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
