import { createElement, type ElementType, type ReactNode } from 'react';
import * as react from 'react/jsx-runtime';
import { currentTranslation, type Translation } from '../../data/model/locale.ts';
import { localizedText } from './localized-text.ts';

/*
 * The islands' JSX runtime. On a page in another language, it translates the texts and links of HTML elements, so that the
 * islands can be written in English only.
 */

interface Props {
  href?: unknown;
  children?: unknown;
  [name: string]: unknown;
}

const TEXT_ATTRIBUTES = ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt', 'data-name'];
const TEXT_ONLY = ['option', 'title', 'textarea', 'text'];
/** Matches English text. Unlike names, units and addresses, it has lower-case words separated by spaces. */
const ENGLISH = /(^|\s)[A-Za-z][a-z’']+[,:;—]?\s+[A-Za-z][a-z’']*/;
/** Matches amounts, which run from left to right in every language, so that the sign comes first. */
const AMOUNT = /^[+−]?\$?\d[\d.,]*[%KM]?( [A-Z]{2,4})?$/;

const isText = (child: unknown) => typeof child === 'string' || typeof child === 'number';

function translateText(translation: Translation, text: string, isTextOnly: boolean): unknown {
  const translatedText = localizedText(translation, text);
  if (translatedText !== null) return translatedText;
  if (AMOUNT.test(text)) return `\u2066${text}\u2069`;
  if (isTextOnly || !ENGLISH.test(text)) return text;
  return createElement('span', { key: text, lang: 'en', dir: 'ltr' }, text);
}

/**
 * Translates texts and values. Adjacent ones are translated together if their combined text has a translation: the first
 * becomes the translation and the others become null, so that every child keeps its position.
 */
function translateChildren(
  translation: Translation,
  children: readonly unknown[],
  isTextOnly: boolean,
): unknown[] {
  const translatedChildren: unknown[] = [];
  while (translatedChildren.length < children.length) {
    const start = translatedChildren.length;
    const child = children[start];
    if (!isText(child)) {
      translatedChildren.push(
        Array.isArray(child) ? translateChildren(translation, child, isTextOnly) : child,
      );
      continue;
    }
    const endIndex = children.findIndex((one, index) => index > start && !isText(one));
    const pieces = children.slice(start, endIndex === -1 ? undefined : endIndex).map(String);
    const isTranslatable = (text: string) => AMOUNT.test(text) || localizedText(translation, text) !== null;
    while (pieces.length > 1 && !isTranslatable(pieces.join(''))) pieces.pop();
    translatedChildren.push(
      translateText(translation, pieces.join(''), isTextOnly),
      ...pieces.slice(1).map(() => null),
    );
  }
  return translatedChildren;
}

function translateChild(translation: Translation, child: unknown, isTextOnly: boolean): unknown {
  if (Array.isArray(child)) return translateChildren(translation, child, isTextOnly);
  return typeof child === 'string' ? translateText(translation, child, isTextOnly) : child;
}

function translateLink({ pages, prefix }: Translation, href: string): Props {
  const [page = ''] = href.split(/[#?]/, 1);
  if (!/^\/(?!\/)/.test(href) || /\.\w+$/.test(page)) return {};
  if (!pages.includes(page)) return { hrefLang: 'en' };
  return { href: `${prefix}${page === '/' ? '' : page}${href.slice(page.length)}` };
}

/** Whether an element contains data, such as a name. Data is not translated, even if the same wording has a translation. */
const isData = (type: string, { translate }: Props) => type === 'bdi' || translate === 'no';

function translateProps(translation: Translation, type: string, props: Props): Props {
  if (isData(type, props)) return props;
  const translatedProps: Props = { ...props };
  for (const name of TEXT_ATTRIBUTES) {
    const text = props[name];
    if (typeof text === 'string') translatedProps[name] = localizedText(translation, text) ?? text;
  }
  if (type === 'a' && typeof props.href === 'string')
    Object.assign(translatedProps, translateLink(translation, props.href));
  if ('children' in props)
    translatedProps.children = translateChild(translation, props.children, TEXT_ONLY.includes(type));
  return translatedProps;
}

type Jsx = (type: ElementType, props: Props, key?: string) => ReactNode;

const withTranslation =
  (create: Jsx): Jsx =>
  (type, props, key) => {
    const pageTranslation = typeof type === 'string' || type === react.Fragment ? currentTranslation() : null;
    return create(type, pageTranslation ? translateProps(pageTranslation, String(type), props) : props, key);
  };

export const { Fragment } = react;
export const jsx = withTranslation(react.jsx as Jsx);
export const jsxs = withTranslation(react.jsxs as Jsx);
/** The development server uses this instead of `jsx` and `jsxs`. */
export const jsxDEV = (type: ElementType, props: Props, key?: string, isStatic = false) =>
  (isStatic ? jsxs : jsx)(type, props, key);
