import { showToast } from '../toasts/show-toast.ts';

declare global {
  interface Window {
    /** Opens the chat, optionally with a question filled in but not sent. */
    openDucklingChat?: (question?: string) => Promise<void>;
  }
}

const NAME = 'Ask Duckling';
const ICON =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 4h14v10H9l-4 3.5V14H3Z"/><path d="M6.5 7.5h7M6.5 10.5h4.5"/></svg>';

async function open(question?: string): Promise<void> {
  try {
    const { openDuckling } = await import('./duckling-dialog.ts');
    openDuckling(question);
  } catch {
    await showToast({
      title: 'Duckling could not be loaded',
      text: 'Check your connection and try again.',
      kind: 'failure',
      seconds: 10,
    });
  }
}

/**
 * Connects the floating button, the buttons of pages and `window.openDucklingChat` to the chat, which loads on first use.
 */
export function startDuckling(): void {
  window.openDucklingChat = open;
  const floating = document.createElement('button');
  floating.type = 'button';
  floating.className = 'button square chat';
  floating.setAttribute('aria-label', NAME);
  floating.dataset.tooltip = NAME;
  floating.dataset.duckling = '';
  floating.innerHTML = ICON;
  document.querySelector('[data-corner]')?.prepend(floating);
  for (const button of document.querySelectorAll('[data-duckling]')) {
    button.setAttribute('aria-haspopup', 'dialog');
    button.addEventListener('click', () => void open());
  }
}
