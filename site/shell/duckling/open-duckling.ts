import { t } from '../../../data/model/locale.ts';
import { createButton } from '../elements.ts';
import { showToast } from '../toasts/show-toast.ts';

declare global {
  interface Window {
    /** Opens the chat, optionally with a question filled in but not sent. */
    openDucklingChat?: (question?: string) => Promise<void>;
  }
}

const ICON =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 4h14v10H9l-4 3.5V14H3Z"/><path d="M6.5 7.5h7M6.5 10.5h4.5"/></svg>';

async function open(question?: string): Promise<void> {
  try {
    const { openDuckling } = await import('./duckling-dialog.ts');
    openDuckling(question);
  } catch {
    await showToast({
      title: t('Duckling could not be loaded'),
      text: t('Check your connection and try again.'),
      kind: 'failure',
      seconds: 10,
    });
  }
}

/** Adds the floating button that opens the chat. Buttons on pages and `window.openDucklingChat` also open it. */
export function startDuckling(): void {
  window.openDucklingChat = open;
  const floatingButton = createButton('button square chat', () => void open());
  floatingButton.ariaLabel = floatingButton.dataset.tooltip = t('Ask Duckling');
  floatingButton.ariaHasPopup = 'dialog';
  floatingButton.innerHTML = ICON;
  for (const button of document.querySelectorAll('[data-duckling]')) {
    button.ariaHasPopup = 'dialog';
    button.addEventListener('click', () => void open());
  }
  document.querySelector('[data-corner]')?.prepend(floatingButton);
}
