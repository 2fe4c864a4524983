import { describe, expect, it } from 'vitest';
import { questionsAsHeadings } from './site-search.ts';

describe('the search index', () => {
  it('has a heading for each question with an id', () => {
    expect(
      questionsAsHeadings('<details id="lock"><summary>How long?</summary><p>180 days</p></details>'),
    ).toBe('<h3 id="lock">How long?</h3><details><p>180 days</p></details>');
  });

  it.each([
    ['without an id', '<details><summary>More</summary></details>'],
    ['that contains a heading', '<details id="a"><summary><h2>General</h2></summary></details>'],
  ])('leaves a question %s unchanged', (_case, html) => {
    expect(questionsAsHeadings(html)).toBe(html);
  });
});
