/** What `content/search-and-offline.yaml` says of the search; put in the place of its name by the build. */
declare const SEARCH_WORDS: {
  readonly title: string;
  readonly label: string;
  readonly placeholder: string;
  readonly hint: string;
  readonly loading: string;
  readonly searching: string;
  readonly results: { readonly none: string; readonly one: string; readonly other: string };
  readonly empty: string;
  readonly emptyLink: string;
  readonly failed: string;
  readonly retry: string;
  readonly close: string;
};
export const words = SEARCH_WORDS;

const FRAME =
  '<search class="line"><svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>' +
  '<input type="search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go" autofocus>' +
  '<form method="dialog"><button class="close"></button></form></search>' +
  '<div class="found"><p class="status" role="status"></p><ul></ul>' +
  '<p class="say none" hidden></p><div class="say failed" role="alert" hidden><p></p><button class="button" type="button"></button></div></div>';

export interface SearchView {
  readonly dialog: HTMLDialogElement;
  readonly input: HTMLInputElement;
  readonly status: HTMLElement;
  readonly list: HTMLElement;
  /** Shown where no page matches. */
  readonly none: HTMLElement;
  /** Shown where the search could not be loaded. */
  readonly failed: HTMLElement;
  readonly retry: HTMLElement;
}

/** The dialog of the search with its words, put at the end of the page and not yet open. */
export function createSearchView(): SearchView {
  const dialog = document.createElement('dialog');
  dialog.id = 'site-search';
  dialog.className = 'site-search';
  dialog.setAttribute('aria-label', words.title);
  dialog.setAttribute('closedby', 'any');
  dialog.innerHTML = FRAME;
  const part = <Kind extends HTMLElement = HTMLElement>(selector: string): Kind => {
    const found = dialog.querySelector<Kind>(selector);
    if (!found) throw new Error(`The search has no ${selector}.`);
    return found;
  };
  const view = {
    dialog,
    input: part<HTMLInputElement>('input'),
    status: part('.status'),
    list: part('ul'),
    none: part('.none'),
    failed: part('.failed'),
    retry: part('.failed button'),
  };
  view.input.setAttribute('aria-label', words.label);
  view.input.placeholder = words.placeholder;
  view.retry.textContent = words.retry;
  part('.close').textContent = words.close;
  part('.failed p').textContent = words.failed;
  const questions = document.createElement('a');
  questions.href = '/faq';
  questions.textContent = words.emptyLink;
  view.none.append(`${words.empty} `, questions);
  document.body.append(dialog);
  return view;
}
