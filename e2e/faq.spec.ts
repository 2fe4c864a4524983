import { expect } from 'playwright/test';
import { examine } from './examine.ts';
import { test } from './test.ts';

/** A category of questions, or the list of close matches. */
const CATEGORY = ':is([data-faq-category], [data-faq-close-matches])';

test.describe('the FAQ', () => {
  test('opens with General and BD Token expanded, and has at least sixty questions, counted by category, with every figure that the project states', async ({
    page,
  }) => {
    await page.goto('/faq');
    const openHeadings = page.locator('[data-faq-category][open] > summary h2');
    await expect(openHeadings).toHaveText(['General', 'BD Token']);
    await expect(page.locator('[data-faq-category]')).toHaveCount(8);
    for (const category of await page.locator('[data-faq-category]').all()) {
      const questions = await category.locator('details').count();
      await expect(category.locator('[data-faq-count]')).toHaveText(`${questions} questions`);
    }
    expect(await page.locator('[data-faq-category] details').count()).toBeGreaterThanOrEqual(60);
    const statedFigures = [
      '180 days',
      '88.7%',
      '990,000,000 BD',
      '1,500,000 BD',
      '250 cards',
      '4.5%',
      'USDT on the ERC-20 network',
      'first 50 stakers',
      '46,600,000 BD',
      'February 2026',
      '122M BD',
      '50/50',
      '2027',
    ];
    const text = ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ');
    expect(statedFigures.filter((figure) => !text.includes(figure))).toEqual([]);
  });

  test('lists typo and synonym matches below exact ones, best first, restores the order afterwards, and finds and marks any part of a word offline', async ({
    page,
    context,
  }) => {
    await page.goto('/faq');
    const order = () => page.locator('[data-faq-category]').allTextContents();
    const first = page.locator(`${CATEGORY}:not([hidden]) > details:not([hidden])`).first();
    const before = await order();
    const closeMatches = page.locator('[data-faq-close-matches]');
    await page.getByRole('searchbox').fill('apy');
    await expect(page.locator('[data-faq-category]:not([hidden])').locator('#yield')).toBeVisible();
    await expect(closeMatches.locator('#example')).toBeVisible();
    await expect(page.locator(`${CATEGORY}:not([hidden])`).last()).toHaveAttribute('data-faq-close-matches');
    await page.getByRole('searchbox').fill('unstkae');
    await expect(page.locator('[data-faq-category]:not([hidden])')).toHaveCount(0);
    await expect(closeMatches.locator('#withdraw')).toBeVisible();
    // A word that occurs in no question is ignored.
    await page.getByRole('searchbox').fill('rug pull elephants');
    await expect(closeMatches.locator('#scam')).toBeVisible();
    await page.getByRole('searchbox').fill('top-up');
    await expect(first).toHaveAttribute('id', 'fee');
    await page.getByRole('searchbox').fill('');
    await expect(closeMatches).toBeHidden();
    expect(await order()).toEqual(before);

    await context.setOffline(true);
    await page.getByRole('searchbox').fill('  EARLY   withdrawal ');
    const shownQuestions = page.locator('main details details:not([hidden])');
    for (const word of [/early/i, /withdraw/i]) {
      await expect(shownQuestions.filter({ hasNotText: word })).toHaveCount(0);
    }
    const count = await shownQuestions.count();
    expect(count).toBeGreaterThan(1);
    await expect(page.locator('output')).toHaveText(new RegExp(`^${count} of \\d+$`));
    const highlightCount = await page.evaluate(() => CSS.highlights.get('found')?.size ?? 0);
    expect(highlightCount).toBeGreaterThanOrEqual(count);
    for (const category of await page.locator('[data-faq-category]:not([hidden])').all()) {
      const questions = await category.locator('details:not([hidden])').count();
      await expect(category.locator('[data-faq-count]')).toHaveText(
        questions === 1 ? '1 question' : `${questions} questions`,
      );
    }
    expect(await page.locator('[data-faq-category][hidden]').count()).toBeGreaterThan(0);
  });

  test('reports no results, and resets when the search is cleared', async ({ page }) => {
    await page.goto('/faq');
    await page.getByRole('searchbox').fill('xylophone zzz');
    await expect(page.getByText('No results found')).toBeVisible();
    await expect(
      page.getByText('Try searching with different keywords or browse all categories'),
    ).toBeVisible();
    await expect(page.locator('[data-faq-category]:not([hidden])')).toHaveCount(0);
    await page.getByRole('searchbox').fill('stakeholding');
    await examine(page, 'nothing found');
    await page.getByRole('status').getByRole('link').first().press('Enter');
    await expect(page.locator('[data-faq-category] details[open] > summary')).toBeInViewport();
    await expect(page).toHaveURL(/#[\w-]+$/);
    await page.getByRole('searchbox').fill('xylophone zzz');
    await expect(page.getByText('No results found')).toBeVisible();
    await page.evaluate(() => location.assign('#withdraw'));
    await expect(page.locator('#withdraw > summary')).toBeInViewport();
    await page.getByRole('searchbox').fill('xylophone zzz');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await expect(page.getByRole('searchbox')).toBeFocused();
    await expect(page.locator('[data-faq-category][open]:not([hidden])')).toHaveCount(2);
    await expect(page.locator('[data-faq-category] details[open]')).toHaveCount(0);
  });

  test('has a labeled search with a count and a clear button; Enter focuses the first result, which stays focused once the index loads', async ({
    page,
  }) => {
    const gate = Promise.withResolvers<void>();
    await page.route('**/section-index.json', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.goto('/faq');
    const field = page.getByRole('searchbox', { name: 'Search questions' });
    await expect(page.locator('label:visible', { hasText: 'Search questions' })).toHaveAttribute(
      'for',
      (await field.getAttribute('id')) ?? '',
    );
    const count = page.locator('output');
    const questions = await page.locator('[data-faq-category] details').count();
    await expect(count).toHaveText(new RegExp(`^${questions} `));
    const clearButton = page.getByRole('button', { name: 'Clear', exact: true });
    await expect(clearButton).toBeHidden();
    await field.fill('withdraw');
    await expect(count).toHaveText(new RegExp(` of ${questions}$`));
    await field.press('Enter');
    const first = page.locator(`${CATEGORY}:not([hidden]) > details:not([hidden]) > summary`).first();
    await expect(first).toBeFocused();
    const question = (await first.textContent()) ?? '';
    await expect(count).toHaveAttribute('aria-busy');
    gate.resolve();
    await expect(count).not.toHaveAttribute('aria-busy');
    await expect(page.locator('summary:focus')).toHaveText(question);
    await clearButton.click();
    await expect(field).toHaveValue('');
    await expect(field).toBeFocused();
    await expect(count).toHaveText(new RegExp(`^${questions} `));
  });
});
