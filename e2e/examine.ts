import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from 'playwright/test';

export const PHONE = { width: 375, height: 812 };
export const DESKTOP = { width: 1280, height: 800 };

/** Pictures are taken only on request (`PICTURES=on`): encoding them costs as much as the checks themselves. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== 'on') return;
  await page.screenshot({
    path: test.info().outputPath(`${name}.png`),
    fullPage: (await page.locator('dialog:modal').count()) === 0,
  });
}

/**
 * Lists a page's accessibility violations. Legacy mode runs axe in the page itself; the other mode opens a second page for
 * frames of other origins, which the portal does not have, and takes twice as long.
 */
export async function violations(page: Page, part: string, rules: readonly string[] = []): Promise<string[]> {
  const builder = new AxeBuilder({ page }).setLegacyMode(true).include(part);
  const { violations: found } = await (rules.length > 0 ? builder.withRules([...rules]) : builder).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/**
 * Checks a part of the page (the open dialog, or else `main`) for accessibility violations and sideways scrolling: in the
 * dark theme at the current size, and in the light theme at the size `light` (a phone by default; null keeps the size).
 */
export async function examine(
  page: Page,
  name: string,
  options: { readonly part?: string; readonly light?: { width: number; height: number } | null } = {},
): Promise<void> {
  const isDialog = (await page.locator('dialog:modal').count()) > 0;
  const { part = isDialog ? 'dialog[open]' : 'main', light = PHONE } = options;
  const size = page.viewportSize() ?? DESKTOP;
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await takePicture(page, `${name}-dark`);
  const dark = await violations(page, part);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  if (light) await page.setViewportSize(light);
  await takePicture(page, `${name}-light`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  // The theme changes nothing but colors.
  const inLight = await violations(page, part, ['color-contrast']);
  if (light) await page.setViewportSize(size);
  expect([...dark, ...inLight], name).toEqual([]);
  expect(overflow, name).toBeLessThanOrEqual(0);
}
