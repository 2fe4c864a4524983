/** What a visitor wants to see: the system's theme, or one of the two for good. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The key under which the choice is stored; nothing is stored for `system`. */
export const THEME_KEY = 'theme';

/** The theme a stored text means. Whatever else may stand in storage means the system's. */
export function readTheme(stored: string | null): Theme {
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** The theme that the switch goes to next. */
export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}

/** What the switch is called while it shows a theme. */
export function switchLabel(theme: Theme): string {
  return `Theme: ${theme}. Change to ${nextTheme(theme)}`;
}
