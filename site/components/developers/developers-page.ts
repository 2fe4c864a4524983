import { EMBED_THEMES, EMBEDDED_FIGURE_NAMES } from '../../../data/contract/embeds.ts';
import { copyText } from '../../shell/copy-text.ts';
import { badgeSnippet, widgetSnippet } from './embed-snippet.ts';

/** The API has the same origin as the page, unless the page is on a static host. */
const apiOrigin =
  document.querySelector<HTMLMetaElement>('meta[name=api-origin]')?.content ?? location.origin;

/** Shows the chosen embed as code and as a preview. Both use the origin of the API that this page calls. */
function showSnippet(form: HTMLFormElement): void {
  const formData = new FormData(form);
  const theme = EMBED_THEMES.find((one) => one === formData.get('theme')) ?? 'auto';
  const figures = EMBEDDED_FIGURE_NAMES.filter((name) => formData.getAll('figure').includes(name));
  const [figure = 'staked'] = figures;
  const snippet =
    form.dataset.embed === 'badge'
      ? badgeSnippet(apiOrigin, figure, theme)
      : widgetSnippet(apiOrigin, figures, theme);
  const code = form.querySelector('code');
  const preview = form.querySelector('[data-preview]');
  if (code) code.textContent = snippet;
  // The snippet consists of the origin and values from fixed lists, so it is safe as HTML.
  if (preview) preview.innerHTML = snippet;
}

/** In the code examples, replaces the origin from the build with the origin of the API that this page calls. */
function showOrigin(page: HTMLElement): void {
  const builtOrigin = page.dataset.origin;
  if (builtOrigin === undefined || builtOrigin === apiOrigin) return;
  for (const code of page.querySelectorAll('.code-line code'))
    code.textContent = (code.textContent ?? '').replaceAll(builtOrigin, apiOrigin);
}

export function startDevelopersPage(page: HTMLElement): void {
  showOrigin(page);
  page.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
    const text = button?.parentElement?.querySelector('code')?.textContent;
    if (button && text) void copyText(text, button.dataset.copy ?? '');
  });
  page.addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target;
    if (form instanceof HTMLFormElement && form.dataset.call !== undefined)
      void import('./make-call.ts').then(({ makeCall }) => makeCall(form, apiOrigin));
  });
  for (const form of page.querySelectorAll<HTMLFormElement>('[data-embed]')) {
    showSnippet(form);
    form.addEventListener('change', () => showSnippet(form));
  }
}
