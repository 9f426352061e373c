// Small builders. Text always goes in as text: names come from files that anybody may have written.

/** An element with a class and a text. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = String(text);
  return made;
}

/** An SVG element with attributes. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Whether the window is a telephone's: what is written on pictures is written larger then. */
export const isSmall = () => matchMedia("(max-width: 40rem)").matches;

/** A number that keeps its sign before it, also in a right-to-left page. */
export const numberText = (number) => (number < 0 && document.documentElement.dir === "rtl" ? `\u200e${number}` : String(number));

/** A name that somebody chose: its own direction, whatever the page's is. */
export function nameOf(text, className = "name") {
  const made = element("bdi", className, text);
  made.title = text;
  return made;
}

/** A link. */
export function link(text, href, className = "") {
  const made = element("a", className, text);
  made.href = href;
  return made;
}

/** A button that does `act` when pressed. */
export function button(text, act, className = "") {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** Put `wanted` into `list`, touching only what changed: focus and place stay. */
export function arrange(list, wanted) {
  wanted.forEach((item, i) => {
    if (list.children[i] === item) return;
    if (list.children[i] && !wanted.includes(list.children[i])) list.children[i].replaceWith(item);
    else list.insertBefore(item, list.children[i] ?? null);
  });
  while (list.children.length > wanted.length) list.lastElementChild.remove();
}

const ECHO_MS = 1000;
const busy = new WeakSet();

/** Does `act` unless the last press of `pressed` is not answered, or was a moment ago: one press too many does nothing. */
export async function once(pressed, act) {
  if (busy.has(pressed)) return;
  busy.add(pressed);
  pressed.setAttribute("aria-disabled", "true"); // it keeps the focus, as a disabled one would not
  try {
    await act();
  } finally {
    setTimeout(() => {
      busy.delete(pressed);
      pressed.removeAttribute("aria-disabled");
    }, ECHO_MS);
  }
}
