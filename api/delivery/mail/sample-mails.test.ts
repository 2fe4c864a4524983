// @module-tag slow
import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { ORGANIZATION } from '../testing/organization.ts';
import { DARK_COLORS, LIGHT_COLORS, type MailColor } from './layout/mail-colors.ts';
import { renderMail } from './layout/render-mail.ts';
import { type SampleMail, sampleMails } from './preview/sample-mails.ts';

const ORIGIN = 'https://portal.example.com';
const TEAM_ORIGIN = 'https://team.example.com';
const OPTIONS = { origin: ORIGIN, teamOrigin: TEAM_ORIGIN, organization: ORGANIZATION };

const PRIVACY_URL = `${ORIGIN}/privacy-policy`;

const HOSTILE_TEXT = '</td><script>alert("1")</script>&';
/** The longest text that the forms allow. */
const LONG_TEXT = HOSTILE_TEXT.repeat(121).slice(0, 4_000);
const MAILS = await sampleMails(OPTIONS);
const LONGEST_MAILS = await sampleMails({
  ...OPTIONS,
  changes: {
    'card-application': { name: HOSTILE_TEXT, alias: HOSTILE_TEXT, applicantNotes: LONG_TEXT },
    'verification-request': { reason: LONG_TEXT, evidence: LONG_TEXT, refusalReason: LONG_TEXT },
    'contact-message': { name: HOSTILE_TEXT, subject: HOSTILE_TEXT, message: LONG_TEXT },
    'loan-application': { name: HOSTILE_TEXT, comments: LONG_TEXT, refusalReason: LONG_TEXT },
  },
});

const parser = new new Window().DOMParser();
const documents = new Map(MAILS.map((mail) => [mail, parser.parseFromString(mail.html, 'text/html')]));
const documentOf = (mail: SampleMail) => documents.get(mail) ?? expect.fail(`${mail.name} has no document.`);
const linksOf = (mail: SampleMail) =>
  [...documentOf(mail).querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');

describe('every email', () => {
  it('has one button unless a person wrote it, and the plain text has the same links in the same order', () => {
    for (const mail of MAILS) {
      expect(documentOf(mail).querySelectorAll('td.button a'), mail.name).toHaveLength(
        mail.name.startsWith('conversation.') ? 0 : 1,
      );
      const urls = [...mail.text.matchAll(/https?:\/\/\S+/g)].map(([url]) => url);
      expect(urls, mail.name).toEqual(linksOf(mail).filter((url) => !url.startsWith('mailto:')));
    }
  });

  it('links only to the portal, at the origin for its audience', () => {
    for (const mail of MAILS) {
      const expected = mail.audience === 'team' ? TEAM_ORIGIN : ORIGIN;
      const footer = [`mailto:${ORGANIZATION.supportEmail}`, PRIVACY_URL];
      const urls = linksOf(mail).filter((url) => !footer.includes(url));
      for (const url of urls) expect(new URL(url).origin, mail.name).toBe(expected);
    }
  });

  it('loads no external resources, so that nobody learns when it is opened', () => {
    for (const mail of MAILS) {
      expect(
        documentOf(mail).querySelectorAll('img, link, script, iframe, object, video'),
        mail.name,
      ).toHaveLength(0);
      expect(mail.html, mail.name).not.toMatch(/\bsrc=|url\(|@import|background=/);
    }
  });

  it('has a language, one heading, and only layout tables that screen readers ignore', () => {
    for (const mail of MAILS) {
      const page = documentOf(mail);
      expect(page.documentElement.getAttribute('lang'), mail.name).toBe('en');
      expect(page.querySelector('[role=article]')?.getAttribute('lang'), mail.name).toBe('en');
      expect(page.querySelectorAll('table:not([role=presentation])'), mail.name).toHaveLength(0);
      expect(page.querySelectorAll('h1'), mail.name).toHaveLength(1);
      expect(page.title, mail.name).toBe(mail.subject);
    }
  });

  it('never breaks a line within a reference number in a heading or a paragraph', () => {
    for (const mail of MAILS) {
      const texts = [...documentOf(mail).querySelectorAll('h1, p:not(:has(bdi))')];
      for (const text of texts.filter(({ textContent }) => /BD-\d{8}-/.test(textContent))) {
        expect(text.querySelector('span[style*=nowrap]')?.textContent, mail.name).toMatch(/^BD-\d{8}-\d{6}$/);
      }
    }
  });

  it('to an applicant has a preheader that adds to the subject', () => {
    for (const mail of MAILS.filter(({ audience }) => audience === 'applicant')) {
      const hidden = documentOf(mail).querySelector('[data-preheader]')?.textContent ?? '';
      const text = hidden.replaceAll(/[\u00A0\u200C]/g, '');
      expect(text.length, mail.name).toBeGreaterThan(30);
      expect(text.length, mail.name).toBeLessThan(120);
      expect(text, mail.name).not.toBe(mail.subject);
    }
  });
});

it('every email with the longest hostile texts stays below Gmail’s size limit and contains no script', () => {
  for (const { name, html } of LONGEST_MAILS) {
    expect(Buffer.byteLength(html), name).toBeLessThan(102_000);
    expect(html, name).not.toContain('<script');
  }
});

it('every email has the logo, and a footer in HTML and in plain text', () => {
  const { postalAddress, supportEmail } = ORGANIZATION;
  for (const mail of MAILS) {
    expect(mail.html, mail.name).toContain('BlackDuck</td>');
    for (const version of [mail.html, mail.text]) {
      for (const part of [postalAddress, supportEmail, PRIVACY_URL])
        expect(version, mail.name).toContain(part);
    }
  }
});

it('an email leaves out the parts whose text is missing', () => {
  const parts = [
    { kind: 'quote', label: 'Reason', text: null },
    { kind: 'facts', facts: [['Note', null]] },
  ] as const;
  const { html, text } = renderMail({ subject: 'Test', parts }, { organization: null, origin: ORIGIN });
  expect(text).toBe('Test\n');
  expect(html).not.toMatch(/Reason|Note/);
});

/** 0 to 1, as in WCAG 2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Inverts the lightness but keeps hue and saturation. Mail programs derive their dark colors this way. */
function invertLightness(color: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const shift = 255 - Math.max(...channels) - Math.min(...channels);
  return `#${channels.map((part) => (part + shift).toString(16).padStart(2, '0')).join('')}`;
}

const TEXTS_AND_BACKGROUNDS: readonly (readonly [text: MailColor, on: MailColor])[] = [
  ['text', 'sheet'],
  ['text', 'page'],
  ['muted', 'sheet'],
  ['muted', 'page'],
  ['link', 'sheet'],
  ['link', 'page'],
  ['text', 'quote'],
  ['muted', 'quote'],
  ['good', 'sheet'],
  ['bad', 'sheet'],
  ['button-text', 'button'],
];

it.each([
  ['light', (color: MailColor) => LIGHT_COLORS[color]],
  ['dark', (color: MailColor) => DARK_COLORS[color]],
  ['forced dark, with inverted colors', (color: MailColor) => invertLightness(LIGHT_COLORS[color])],
])('every text is readable when the email is %s', (_theme, colorOf) => {
  for (const [text, on] of TEXTS_AND_BACKGROUNDS) {
    expect(contrast(colorOf(text), colorOf(on)), `${text} on ${on}`).toBeGreaterThan(4.5);
  }
});
