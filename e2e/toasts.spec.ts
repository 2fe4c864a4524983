import { expect, type Page } from 'playwright/test';
import { test } from './test.ts';
import { showToast } from './visitor.ts';

test.describe('a toast', () => {
  const toasts = (page: Page) => page.locator('.toast');

  test('replaces the previous one, lasts five seconds by default, and pauses under the pointer', async ({
    page,
  }) => {
    await page.goto('/faq');
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await showToast(page, { title: 'Copied' });
    await showToast(page, { title: 'Application Secured Successfully' });
    await page.clock.runFor(100);
    await expect(toasts(page)).toHaveText(['Application Secured Successfully']);
    await expect(page.getByRole('status').filter({ hasText: 'Application Secured' })).toBeAttached();
    await page.clock.runFor(4_800);
    await expect(toasts(page)).toHaveCount(1);
    await toasts(page).hover();
    await page.clock.runFor(60_000);
    await expect(toasts(page)).toHaveCount(1);
    await page.mouse.move(0, 0);
    await page.clock.runFor(300);
    await expect(toasts(page)).toHaveCount(0);

    await showToast(page, { title: 'ACCESS DENIED', kind: 'failure', seconds: 15 });
    await page.clock.runFor(14_800);
    await expect(page.getByRole('alert').filter({ hasText: 'ACCESS DENIED' })).toBeAttached();
    await page.clock.runFor(300);
    await expect(toasts(page)).toHaveCount(0);
  });

  test('is dismissed by its button, even while a dialog is open, by Escape, and by a swipe of 50 pixels to the right', async ({
    page,
  }) => {
    await page.goto('/faq');
    const showDismissibleToast = async () => {
      await showToast(page, { title: 'Download Started', seconds: null });
      await expect(toasts(page)).toBeVisible();
    };
    await showDismissibleToast();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(toasts(page)).toHaveCount(0);
    await showDismissibleToast();
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await page.keyboard.press('Escape');
    await expect(toasts(page)).toHaveCount(0);

    const swipe = async (distance: number) => {
      const box = await toasts(page).boundingBox();
      const [x, y] = [(box?.x ?? 0) + 60, (box?.y ?? 0) + 20];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + distance, y, { steps: 4 });
      await page.mouse.up();
    };
    await showDismissibleToast();
    await swipe(45);
    await expect(toasts(page)).toBeVisible();
    await expect(toasts(page)).not.toHaveAttribute('style', /translate/);
    await swipe(-80);
    await expect(toasts(page)).toBeVisible();
    await swipe(55);
    await expect(toasts(page)).toHaveCount(0);

    await page.keyboard.press('Control+k');
    await expect(page.getByRole('searchbox', { name: 'Search all pages' })).toBeFocused();
    await showDismissibleToast();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(toasts(page)).toHaveCount(0);
  });

  test('appears offline, even if it is the first toast and the page has no service worker', async ({
    page,
    context,
  }) => {
    const loaded = Promise.all(
      ['toast-region', 'rolldown-runtime'].map((name) =>
        page.waitForResponse((response) => response.url().includes(`/_astro/${name}.`)),
      ),
    );
    await page.goto('/faq');
    for (const response of await loaded) await response.finished();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Ask Duckling' }).first().click();
    await expect(toasts(page)).toHaveText(/Duckling could not be loaded/);
  });
});
