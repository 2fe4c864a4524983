import { createElement } from '../elements.ts';

interface DialogHead {
  readonly title: string;
  /** A label next to the title. */
  readonly badge?: string;
  readonly lead?: string;
  /** Whether the dialog is always in English, like the demo wallet's dialogs. */
  readonly isEnglish?: boolean;
}

/** Shows a dialog. @returns the visitor's answer; null if the visitor closes the dialog without answering */
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
