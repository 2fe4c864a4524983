import type { Locator, Page } from 'playwright/test';

/**
 * Performs and counts the steps of a task: clicks, keys and typed texts. A choice in a list counts as one click. A shortcut
 * counts as one key.
 */
export function createCountingUser(page: Page) {
  const steps = { clicks: 0, keys: 0, texts: 0 };
  return {
    steps,
    click: (target: Locator) => {
      steps.clicks += 1;
      return target.click();
    },
    choose: (target: Locator, value: string) => {
      steps.clicks += 1;
      return target.selectOption(value);
    },
    pressKey: (key: string) => {
      steps.keys += 1;
      return page.keyboard.press(key);
    },
    type: (target: Locator, text: string) => {
      steps.texts += 1;
      return target.fill(text);
    },
    typeIntoFocused: (text: string) => {
      steps.texts += 1;
      return page.keyboard.type(text);
    },
  };
}

export type CountingUser = ReturnType<typeof createCountingUser>;
