const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Key in local storage; absent for `system`. */
const THEME_KEY = 'theme';

/** The theme for a stored string. Any unknown string means the system's theme. */
export function readTheme(stored: string | null): Theme {
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}

export function switchLabel(theme: Theme): string {
  return `Theme: ${theme}. Change to ${nextTheme(theme)}`;
}

/** The stored choice. Some private windows have no storage: the choice then lasts until the page closes. */
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
    // Storage is blocked.
  }
}

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  tintBrowser(theme);
  for (const element of document.querySelectorAll('theme-switch')) show(element, theme);
}

/** Gives the browser's toolbar the page's background. Each `<meta>` begins with that of its system theme. */
function tintBrowser(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    meta.dataset.original ??= meta.content;
    const chosen = document.querySelector<HTMLMetaElement>(`meta[name=theme-color][media*=${theme}]`);
    meta.content = (chosen?.dataset.original ?? chosen?.content ?? meta.dataset.original) || '';
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

/** Starts the page's theme switches. A choice in another tab applies here, too. */
export function startThemeSwitch(): void {
  customElements.define('theme-switch', ThemeSwitch);
  tintBrowser(readTheme(stored()));
  addEventListener('storage', (event) => {
    if (event.key === THEME_KEY) apply(readTheme(event.newValue));
  });
}
