import { nextTheme, readTheme, switchLabel, THEME_KEY, type Theme } from './theme.ts';

/** Storage is out of reach in some private windows: the choice then lasts as long as the page. */
function stored(): string | null {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

function store(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(THEME_KEY);
    else localStorage.setItem(THEME_KEY, theme);
  } catch {
    // Said above: the choice lasts as long as the page.
  }
}

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  tintBrowser(theme);
  for (const element of document.querySelectorAll('theme-switch')) show(element, theme);
}

/** The browser's own bars take the page's ground; each `<meta>` has the one of its own system theme at first. */
function tintBrowser(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    meta.dataset.own ??= meta.content;
    const chosen = document.querySelector<HTMLMetaElement>(`meta[name=theme-color][media*=${theme}]`);
    meta.content = (chosen?.dataset.own ?? chosen?.content ?? meta.dataset.own) || '';
  }
}

function show(element: Element, theme: Theme): void {
  const button = element.querySelector('button');
  element.setAttribute('data-theme', theme);
  if (!button) return;
  button.hidden = false;
  button.setAttribute('aria-label', switchLabel(theme));
  button.dataset.tooltip = switchLabel(theme);
}

class ThemeSwitch extends HTMLElement {
  connectedCallback(): void {
    show(this, readTheme(stored()));
    this.querySelector('button')?.addEventListener('click', () => {
      const theme = nextTheme(readTheme(this.getAttribute('data-theme')));
      store(theme);
      apply(theme);
    });
  }
}

/** Brings the page's theme switches to life, and follows a choice made in another tab. */
export function startThemeSwitch(): void {
  customElements.define('theme-switch', ThemeSwitch);
  tintBrowser(readTheme(stored()));
  addEventListener('storage', (event) => {
    if (event.key === THEME_KEY) apply(readTheme(event.newValue));
  });
}
