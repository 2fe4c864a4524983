import { FIGURE_HEADERS } from '../../../data/contract/paths.ts';

const SHOWN_HEADERS = ['ETag', 'Cache-Control', 'Retry-After', ...Object.values(FIGURE_HEADERS)];
/** Longer bodies are truncated, because they would make the page slow. */
const MAX_CHARACTERS = 20_000;

const createTextElement = (
  tagName: string,
  text: string,
  attributes: Record<string, string> = {},
): HTMLElement => {
  const element = document.createElement(tagName);
  element.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** @param durationMs the time until the whole body was read */
function responseElements(response: Response, body: string, durationMs: number): HTMLElement[] {
  const status = createTextElement(
    'p',
    `${response.status} ${response.statusText} · ${Math.round(durationMs)} ms`,
  );
  if (!response.ok) status.dataset.failed = '';
  const headers = document.createElement('dl');
  for (const name of SHOWN_HEADERS) {
    const value = response.headers.get(name);
    if (value === null) continue;
    const row = document.createElement('div');
    row.append(createTextElement('dt', `${name}: `), createTextElement('dd', value));
    headers.append(row);
  }
  const text = formatBody(body);
  const isTruncated = text.length > MAX_CHARACTERS;
  const bodyElement = createTextElement('pre', text.slice(0, MAX_CHARACTERS), {
    tabindex: '0',
    role: 'group',
    'aria-label': 'Response body',
  });
  const note = `The first ${MAX_CHARACTERS.toLocaleString('en')} of ${text.length.toLocaleString('en')} characters`;
  return [status, headers, ...(isTruncated ? [createTextElement('p', note)] : []), bodyElement];
}

export async function makeCall(form: HTMLFormElement, apiOrigin: string): Promise<void> {
  const result = form.querySelector('.result');
  const button = form.querySelector('button');
  if (!result || !button || button.ariaDisabled === 'true') return;
  const url = new URL(form.dataset.call ?? '', apiOrigin);
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') url.searchParams.set(name, value.trim());
  button.ariaDisabled = 'true';
  const startedAt = performance.now();
  try {
    const response = await fetch(url, { credentials: 'omit' });
    const body = await response.text();
    result.replaceChildren(...responseElements(response, body, performance.now() - startedAt));
  } catch {
    result.replaceChildren(
      createTextElement('p', 'No response. Check your connection and try again.', { 'data-failed': '' }),
    );
  } finally {
    button.ariaDisabled = null;
  }
}
