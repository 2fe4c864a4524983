import { describe, expect, it } from 'vitest';
import { questionsAsHeadings } from './site-search.ts';

describe('the search index', () => {
  it('takes a question with an address for a place of its own', () => {
    expect(
      questionsAsHeadings('<details id="lock"><summary>How long?</summary><p>180 days</p></details>'),
    ).toBe('<h3 id="lock">How long?</h3><details><p>180 days</p></details>');
  });

  it.each([
    ['without an address', '<details><summary>More</summary></details>'],
    ['that holds a heading', '<details id="a"><summary><h2>General</h2></summary></details>'],
  ])('leaves one %s as it is', (_case, html) => {
    expect(questionsAsHeadings(html)).toBe(html);
  });
});
