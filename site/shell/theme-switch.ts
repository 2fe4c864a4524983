import { t } from '../../data/model/locale.ts';
import { readStored, writeStored } from './browser-storage.ts';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** A local storage key, which is absent for `system`. */
const THEME_KEY = 'theme';

export function readTheme(stored: string | null): Theme {
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}

export function switchLabel(theme: Theme): string {
  return t('Theme: {theme}. Change to {next}', { theme: t(theme), next: t(nextTheme(theme)) });
}

const readStoredTheme = () => readTheme(readStored('localStorage', THEME_KEY));

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  tintBrowser(theme);
  for (const element of document.querySelectorAll('theme-switch')) show(element, theme);
}

/** Matches the browser's toolbar to the page's background. In the HTML, each `<meta>` has the color for one system theme. */
function tintBrowser(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    meta.dataset.original ??= meta.content;
    const chosenMeta = document.querySelector<HTMLMetaElement>(`meta[name=theme-color][media*=${theme}]`);
    meta.content = (chosenMeta?.dataset.original ?? chosenMeta?.content ?? meta.dataset.original) || '';
  }
}

function show(element: Element, theme: Theme): void {
  const button = element.querySelector('button');
  element.setAttribute('data-theme', theme);
  if (!button) return;
  button.hidden = false;
  button.ariaLabel = switchLabel(theme);
  button.dataset.tooltip = button.ariaLabel;
}

class ThemeSwitch extends HTMLElement {
  connectedCallback(): void {
    show(this, readStoredTheme());
    this.querySelector('button')?.addEventListener('click', () => {
      const theme = nextTheme(readTheme(this.getAttribute('data-theme')));
      writeStored('localStorage', THEME_KEY, theme === 'system' ? null : theme);
      apply(theme);
    });
  }
}

/**
 * Starts the page's theme switches. The page also follows a theme change made in another tab, or on another page before the
 * visitor came back with the Back button.
 */
export function startThemeSwitch(): void {
  customElements.define('theme-switch', ThemeSwitch);
  tintBrowser(readStoredTheme());
  addEventListener('storage', (event) => {
    if (event.key === THEME_KEY) apply(readTheme(event.newValue));
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) apply(readStoredTheme());
  });
}
