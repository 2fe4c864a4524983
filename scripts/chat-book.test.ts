import { describe, expect, it } from 'vitest';
import { readYaml } from '../site/content/facts.ts';
import { passagesOf } from './chat-book.ts';

const page = (main: string) => ({
  path: '/faq',
  html: `<body><nav><h2 id="n">Menu</h2></nav><main>${main}</main></body>`,
});
const TEXT = 'This text is long enough to be a passage by itself.';

it('none of Duckling’s own messages opens with a bare yes or no', () => {
  const messages = JSON.stringify(readYaml('content/duckling/answers.yaml')).match(/(?<=:")[^"]+/g) ?? [];
  expect(messages.length).toBeGreaterThan(30);
  expect(messages.filter((message) => /^(?:yes|no)[,.!;:]/i.test(message))).toEqual([]);
});

describe('the passages of a built page', () => {
  it('are the texts under each heading with an id', () => {
    const faqPage = page(
      `<h1>Page</h1><p>Lead.</p><h2 id="one">One</h2><p>${TEXT}</p><ul><li>First</li></ul><h2 id="two">Two</h2><p>${TEXT}</p>`,
    );
    expect(passagesOf(faqPage)).toEqual([
      { href: '/faq#one', title: 'One', page: 'Page', text: `${TEXT}\n\nFirst` },
      { href: '/faq#two', title: 'Two', page: 'Page', text: TEXT },
    ]);
  });

  it('include the answers in <details>, even inside a category', () => {
    const faqPage = page(
      `<h1>Page</h1><details id="c"><summary><h2>Category</h2></summary><details id="q"><summary>Why?</summary><div><p>${TEXT}</p></div></details></details>`,
    );
    expect(passagesOf(faqPage)).toEqual([{ href: '/faq#q', title: 'Why?', page: 'Page', text: TEXT }]);
  });

  it('separate the cells of a table with tabs, even if a cell is empty', () => {
    const row = (tag: string, ...cells: string[]) =>
      `<tr>${cells.map((cell) => `<${tag}>\n\t${cell} </${tag}>`).join('\n')}</tr>`;
    const faqPage = page(
      `<h1>Page</h1><h2 id="one">One</h2><p>${TEXT}</p><table>${row('th', 'Tier', 'A day')}${row('td', '<b>Raven</b>', '$1')}${row('td', 'None', '')}</table>`,
    );
    expect(passagesOf(faqPage)[0]?.text).toBe(`${TEXT}\n\nTier\tA day\n\nRaven\t$1\n\nNone\t`);
  });

  it('leave out menus, forms, hidden parts and islands', () => {
    const faqPage = page(
      `<h1>Page</h1><h2 id="one">One</h2><p>${TEXT}</p><form>Name</form><p hidden>no</p><astro-island>no</astro-island><span aria-hidden="true">no</span>`,
    );
    expect(passagesOf(faqPage)[0]?.text).toBe(TEXT);
  });

  it('do not exist for a page without <main> or a title', () => {
    expect(passagesOf({ path: '/', html: '<p>hello</p>' })).toEqual([]);
  });
});
