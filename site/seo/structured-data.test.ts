import { describe, expect, it } from 'vitest';
import { breadcrumbs, questionPage, scriptJson } from './structured-data.ts';

describe('structured data', () => {
  it('cannot close its script element', () => {
    const data = questionPage('https://x.example/faq', [
      { question: '</script><script>alert(1)</script>', answer: '<p>a</p><!-- b' },
    ]);
    const text = scriptJson(data);
    expect(text).not.toMatch(/<(?:!|\/?script)/i);
    expect(JSON.parse(text)).toEqual(data);
  });

  it('numbers breadcrumbs from one', () => {
    expect(
      breadcrumbs([
        { title: 'Dashboard', url: 'https://x.example/' },
        { title: 'Staking', url: 'https://x.example/staking' },
      ]),
    ).toMatchObject({
      itemListElement: [
        { position: 1, name: 'Dashboard', item: 'https://x.example/' },
        { position: 2, name: 'Staking', item: 'https://x.example/staking' },
      ],
    });
  });
});
