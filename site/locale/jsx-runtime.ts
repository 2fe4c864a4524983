import { createElement, type ElementType, type ReactNode } from 'react';
import * as react from 'react/jsx-runtime';
import { type Translation, translation } from '../../data/model/locale.ts';
import { localText } from './local-text.ts';

/*
 * The JSX runtime of the islands. On a page in another language, it looks up the texts and links of HTML elements, so that the
 * islands are written in English only.
 */

interface Props {
  href?: unknown;
  children?: unknown;
  [name: string]: unknown;
}

/** The attributes with text for people. */
const TEXT_ATTRIBUTES = ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt', 'data-name'];
/** Elements that contain nothing but text. */
const TEXT_ONLY = ['option', 'title', 'textarea', 'text'];
/** English text, unlike names, units and addresses, has lower-case words separated by spaces. */
const ENGLISH = /(^|\s)[A-Za-z][a-z’']+[,:;—]?\s+[A-Za-z][a-z’']*/;
/** Amounts keep their direction, so that the sign comes first. */
const AMOUNT = /^[+−]?\$?\d[\d.,]*[%KM]?( [A-Z]{2,4})?$/;

const isText = (child: unknown) => typeof child === 'string' || typeof child === 'number';

function textIn(translation: Translation, text: string, isTextOnly: boolean): unknown {
  const translated = localText(translation, text);
  if (translated !== null) return translated;
  if (AMOUNT.test(text)) return `\u2066${text}\u2069`;
  if (isTextOnly || !ENGLISH.test(text)) return text;
  return createElement('span', { key: text, lang: 'en', dir: 'ltr' }, text);
}

/**
 * Looks up adjacent texts and values as one text: the longest sequence that has a translation. Every child keeps its position.
 */
function childrenIn(translation: Translation, children: readonly unknown[], isTextOnly: boolean): unknown[] {
  const translated: unknown[] = [];
  while (translated.length < children.length) {
    const start = translated.length;
    const child = children[start];
    if (!isText(child)) {
      translated.push(Array.isArray(child) ? childrenIn(translation, child, isTextOnly) : child);
      continue;
    }
    const after = children.findIndex((one, index) => index > start && !isText(one));
    const pieces = children.slice(start, after === -1 ? undefined : after).map(String);
    const isWhole = (text: string) => AMOUNT.test(text) || localText(translation, text) !== null;
    while (pieces.length > 1 && !isWhole(pieces.join(''))) pieces.pop();
    translated.push(textIn(translation, pieces.join(''), isTextOnly), ...pieces.slice(1).map(() => null));
  }
  return translated;
}

function childIn(translation: Translation, child: unknown, isTextOnly: boolean): unknown {
  if (Array.isArray(child)) return childrenIn(translation, child, isTextOnly);
  return typeof child === 'string' ? textIn(translation, child, isTextOnly) : child;
}

function linkIn({ pages, prefix }: Translation, href: string): Props {
  const [page = ''] = href.split(/[#?]/, 1);
  if (!/^\/(?!\/)/.test(href) || /\.\w+$/.test(page)) return {};
  if (!pages.includes(page)) return { hrefLang: 'en' };
  return { href: `${prefix}${page === '/' ? '' : page}${href.slice(page.length)}` };
}

/** Elements with data, such as a name, which may be the same as a text of the page. */
const isData = (type: string, { translate }: Props) => type === 'bdi' || translate === 'no';

function propsIn(translation: Translation, type: string, props: Props): Props {
  if (isData(type, props)) return props;
  const translated: Props = { ...props };
  for (const name of TEXT_ATTRIBUTES) {
    const text = props[name];
    if (typeof text === 'string') translated[name] = localText(translation, text) ?? text;
  }
  if (type === 'a' && typeof props.href === 'string')
    Object.assign(translated, linkIn(translation, props.href));
  if ('children' in props)
    translated.children = childIn(translation, props.children, TEXT_ONLY.includes(type));
  return translated;
}

type Jsx = (type: ElementType, props: Props, key?: string) => ReactNode;

const localized =
  (create: Jsx): Jsx =>
  (type, props, key) => {
    const pageTranslation = typeof type === 'string' || type === react.Fragment ? translation() : null;
    return create(type, pageTranslation ? propsIn(pageTranslation, String(type), props) : props, key);
  };

export const { Fragment } = react;
export const jsx = localized(react.jsx as Jsx);
export const jsxs = localized(react.jsxs as Jsx);
/** For `npm run dev`. */
export const jsxDEV = (type: ElementType, props: Props, key?: string, isStatic = false) =>
  (isStatic ? jsxs : jsx)(type, props, key);
