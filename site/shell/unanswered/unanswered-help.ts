import type { CollectionEntry } from 'astro:content';
import { translateTexts } from '../../../data/model/locale-texts.ts';
import { createButton, createElement } from '../elements.ts';
import { showToast } from '../toasts/show-toast.ts';

/** From `content/search-and-offline.yaml`. Set by the build. */
declare const UNANSWERED_TEXTS: CollectionEntry<'searchAndOffline'>['data']['unanswered'];

const getTexts = () => translateTexts(UNANSWERED_TEXTS);

/** Runs an action. If the code that it needs cannot be loaded, shows a toast. */
async function run(action: () => Promise<void>): Promise<void> {
  await action().catch(() => showToast({ ...getTexts().failed, kind: 'failure', seconds: 10 }));
}

/** Closes the dialog in which a question was asked, and searches the site for the question. */
async function searchSite(question: string): Promise<void> {
  const { toggleSearch } = await import('../search/search-dialog.ts');
  document.querySelector<HTMLDialogElement>('dialog:modal')?.close();
  toggleSearch(question);
}

async function askSupport(question: string): Promise<void> {
  const { sendToSupport } = await import('./send-to-support.ts');
  document.querySelector<HTMLDialogElement>('dialog:modal')?.close();
  sendToSupport(question);
}

export function ducklingButton(question: string): HTMLElement {
  const open = () => void window.openDucklingChat?.(question);
  return createButton('button', open, getTexts().duckling);
}

/**
 * Help for a question without an answer: the closest questions, the site's search and a message to support.
 * @param closestQuestions links or buttons; may be empty
 * @param firstButtons buttons to show before the search and support buttons
 */
export function unansweredHelp(
  question: string,
  closestQuestions: readonly HTMLElement[],
  ...firstButtons: readonly HTMLElement[]
): HTMLElement {
  const texts = getTexts();
  const help = createElement('div', 'unanswered');
  if (closestQuestions.length > 0) {
    const list = createElement('ul', '', ...closestQuestions.map((one) => createElement('li', '', one)));
    list.ariaLabel = texts.closest;
    help.append(createElement('p', 'note', texts.closest), list);
  }
  const searchButton = createButton('button', () => void run(() => searchSite(question)), texts.search);
  const supportButton = createButton('button', () => void run(() => askSupport(question)), texts.support);
  help.append(createElement('div', 'actions', ...firstButtons, searchButton, supportButton));
  return help;
}
