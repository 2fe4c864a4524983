import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import { expect, type Page, test } from 'playwright/test';

export const PHONE = { width: 375, height: 812 };
export const DESKTOP = { width: 1280, height: 800 };

/** Takes a screenshot, but only on request (`PICTURES=on`): encoding it costs as much as the checks themselves. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== 'on') return;
  await page.screenshot({
    path: test.info().outputPath(`${name}.png`),
    fullPage: (await page.locator('dialog:modal').count()) === 0,
  });
}

/** The minified source of axe. `axe.source` is not minified: its 1.5 MB take longer to send and to compile. */
const AXE_SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Lists a page's accessibility violations. Axe runs in the page, which has no frames, and returns only violations. The package
 * `@axe-core/playwright` would take twice as long: it loads axe for each call, and returns every checked element.
 */
export async function violations(page: Page, part: string, rules: string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE_SOURCE);
  return page.evaluate(
    async ([root, runOnly]) => {
      const { axe: injectedAxe } = window as unknown as { readonly axe: typeof axe };
      const { violations: results } = await injectedAxe.run(root, {
        iframes: false,
        // Only rules about media need preloading, and the site has no media.
        preload: false,
        resultTypes: ['violations'],
        ...(runOnly.length > 0 ? { runOnly } : {}),
      });
      return results.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    [part, rules] as const,
  );
}

/**
 * Lists the visible addresses and signatures, in full or shortened, that wrap onto a second line. Also lists addresses that
 * are cut off.
 */
function brokenIds(page: Page, part: string): Promise<string[]> {
  return page.locator(part).evaluateAll((roots) => {
    // The token of a one-time link may look like an address, but is allowed to wrap.
    const ids =
      /(?<![\w-]|#token=)(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,88}|[1-9A-HJ-NP-Za-km-z]{4,8}…[1-9A-HJ-NP-Za-km-z]{4,8})(?![\w-])/g;
    return roots.flatMap((root) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const broken: string[] = [];
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        if (node.parentElement?.closest('.visually-hidden') !== null) continue;
        for (const { 0: id, index } of (node.textContent ?? '').matchAll(ids)) {
          // Base58 text has letters of both cases. Other long words, such as hexadecimal numbers, are allowed to wrap.
          if (!/[a-z]/.test(id) || !/[A-Z]/.test(id)) continue;
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + id.length);
          const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
          const box = node.parentElement?.closest('.full-id');
          const isCut = id.length <= 44 && box != null && box.scrollWidth > box.clientWidth + 1;
          if (isCut || Math.max(...tops) - Math.min(...tops) > 4) broken.push(id);
        }
      }
      return broken;
    });
  });
}

/**
 * Checks a part of the page (by default the open dialog, or else `main`). In the dark theme at the current size, it
 * looks for accessibility violations. In the light theme at the size `lightSize` (a phone by default; null keeps the
 * size), it looks for sideways scrolling, and for addresses that wrap or are cut off. It checks the contrast of the
 * light theme only with `contrast: 'both'`, because a unit test checks the colors of both themes.
 */
export async function examine(
  page: Page,
  name: string,
  options: {
    readonly part?: string;
    readonly lightSize?: { width: number; height: number } | null;
    readonly contrast?: 'dark' | 'both';
  } = {},
): Promise<void> {
  const isDialog = (await page.locator('dialog:modal').count()) > 0;
  const { part = isDialog ? 'dialog[open]' : 'main', lightSize = PHONE, contrast = 'dark' } = options;
  const size = page.viewportSize() ?? DESKTOP;
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await takePicture(page, `${name}-dark`);
  const darkViolations = await violations(page, part);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  if (lightSize) await page.setViewportSize(lightSize);
  await takePicture(page, `${name}-light`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const brokenAddresses = await brokenIds(page, part);
  const lightViolations = contrast === 'both' ? await violations(page, part, ['color-contrast']) : [];
  if (lightSize) await page.setViewportSize(size);
  expect([...darkViolations, ...lightViolations], name).toEqual([]);
  expect(overflow, name).toBeLessThanOrEqual(0);
  expect(brokenAddresses, name).toEqual([]);
}
