import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, type Rule } from 'postcss';
import { splitPath } from '../site/locale/languages.ts';
import { type BuiltPage, readBuiltPages } from './built-pages.ts';

/** Pages of the same kind share a stylesheet, because visitors to one of them often open another. */
type PageKind = 'admin' | 'dashboard' | 'live' | 'reports' | 'text' | 'wallet';

/** Pages with forms and cards, but without charts. */
const WALLET_PAGES = new Set([
  '/convertible-loan',
  '/investment',
  '/virtual-card',
  '/card-registration',
  '/polished-card',
  '/application-status',
  '/staking',
]);

/** Includes `/reminders`, because that page has the same form as the admin page for the weekly report. */
const ADMIN_PAGE_PATTERN = /^\/(?:admin\/|(?:new-)?bot-diagnostics$|reminders$)/;

function pageKind({ path: builtPath, isIslandFree }: BuiltPage): PageKind {
  const { page: path } = splitPath(builtPath);
  // If these two pages shared the admin stylesheet, their lists and charts would add several kilobytes to every admin page.
  if (path === '/admin/dashboard') return 'dashboard';
  if (path === '/admin/reports') return 'reports';
  if (ADMIN_PAGE_PATTERN.test(path)) return 'admin';
  if (WALLET_PAGES.has(path)) return 'wallet';
  return isIslandFree ? 'text' : 'live';
}

const STYLESHEET = /(<link rel="?stylesheet"? href="?\/_astro\/)[\w.~-]+\.css/g;
const SCRIPT = /[\w.~-]+\.js/g;
/**
 * Matches the part of a selector that belongs to one component: an attribute from Astro, a class from a CSS module, a class of
 * the admin area's frame, or a class of the texts and of parts of the shell that are not in the admin area.
 */
const COMPONENT =
  /\[(data-astro-cid-\w+)|\.(_[\w-]+|admin-[\w-]+|(?:daily-terms|mobile-menu|prose)(?![\w-]))/g;
/**
 * Matches the innermost arguments, such as those of `:is()`. They are ignored, because a selector such as `:is(.a, .b)` can
 * match even if one of its components is not on the page.
 */
const ARGUMENTS = /\([^()]*\)/g;

function withoutArguments(selector: string): string {
  const shorter = selector.replaceAll(ARGUMENTS, '');
  return shorter === selector ? selector : withoutArguments(shorter);
}

export function reachableScripts(
  pageTexts: readonly string[],
  scripts: ReadonlyMap<string, string>,
): readonly string[] {
  const scriptByName = new Map<string, string>();
  const unreadTexts = [...pageTexts];
  for (let text = unreadTexts.pop(); text !== undefined; text = unreadTexts.pop()) {
    for (const [name] of text.matchAll(SCRIPT)) {
      const script = scripts.get(name);
      if (script === undefined || scriptByName.has(name)) continue;
      scriptByName.set(name, script);
      unreadTexts.push(script);
    }
  }
  return [...scriptByName.values()];
}

/** Removes the CSS rules for components that do not occur in `text`. @param text the pages and their scripts */
export function stylesFor(css: string, text: string): string {
  const words = new Set(text.match(/[\w-]+/g));
  const isUnused = (selector: string): boolean =>
    [...withoutArguments(selector).matchAll(COMPONENT)].some(
      ([, attribute, name]) => !words.has(attribute ?? name ?? ''),
    );
  const root = parse(css);
  root.walkRules((rule) => {
    if (isNested(rule)) return;
    const needed = rule.selectors.filter((selector) => !isUnused(selector));
    if (needed.length === 0) rule.remove();
    else if (needed.length < rule.selectors.length) rule.selectors = needed;
  });
  root.walkAtRules((rule) => {
    if (rule.nodes?.length === 0) rule.remove();
  });
  return root.toString();
}

/** Whether a rule is nested in another rule. Such a rule is kept or removed with its outer rule. */
function isNested({ parent }: Rule): boolean {
  for (let node = parent; node; node = node.parent as typeof node) if (node.type === 'rule') return true;
  return false;
}

/** Replaces the stylesheet of a built site with one for each kind of page, so that a page loads fewer unused rules. */
export async function splitStyles(output: string): Promise<void> {
  const assets = join(output, '_astro');
  const names = await readdir(assets);
  const [wholeStylesheet, ...more] = names.filter((name) => name.endsWith('.css'));
  if (wholeStylesheet === undefined || more.length > 0)
    throw new Error(`Expected exactly one stylesheet in ${assets}.`);
  const css = await readFile(join(assets, wholeStylesheet), 'utf8');
  const scripts = new Map<string, string>();
  for (const name of names.filter((file) => file.endsWith('.js'))) {
    scripts.set(name, await readFile(join(assets, name), 'utf8'));
  }
  const kinds = Map.groupBy(await readBuiltPages(output), pageKind);
  for (const [kind, pages] of kinds) {
    const texts = pages.map(({ html }) => html);
    const kindStyles = stylesFor(css, [...texts, ...reachableScripts(texts, scripts)].join('\n'));
    const name = `${kind}.${createHash('sha256').update(kindStyles).digest('base64url').slice(0, 8)}.css`;
    await writeFile(join(assets, name), kindStyles);
    for (const { file, html } of pages) {
      await writeFile(
        join(output, file),
        html.replaceAll(STYLESHEET, (_, start) => `${start}${name}`),
      );
    }
  }
  await rm(join(assets, wholeStylesheet));
}
