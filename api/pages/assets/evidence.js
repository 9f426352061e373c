// The pictures of a play, frame by frame by their own times: stepping, slow motion, loop, zoom, side by side.

import { button, element, svg } from "./elements.js";
import { clipOf, frameUrl, wholeClip } from "./clips.js";
import { clockText } from "./times.js";
import { t } from "./words.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1];
const KEPT_FRAMES = 60;
const AHEAD = 4; // frames fetched before they are asked for
const AROUND_US = 900_000; // before and after the touches: what is looped
const MOST_ZOOM = 12;
const LATER_MS = 3000; // a clip is whole some seconds after the play
const MOST_LOOKS = 10; // then it is said that none is kept; a match that runs is asked on

const ICONS = {
  previous: ["M3 4h3v16H3z", "M20 4 8 12l12 8z"],
  next: ["M18 4h3v16h-3z", "M4 4l12 8-12 8z"],
  play: ["M6 3l15 9-15 9z"],
  pause: ["M5 3h5v18H5z", "M14 3h5v18h-5z"],
  loop: ["M12 4a8 8 0 1 1-7.4 5h2.9a5.3 5.3 0 1 0 4.5-2.4V11L6 5.5 12 0z"],
  pair: ["M2 4h9v16H2zm2 2v12h5V6z", "M13 4h9v16h-9zm2 2v12h5V6z"],
  drawn: ["M3 17.5 15.5 5l3.5 3.5L6.5 21H3z", "M16.8 3.7 18.5 2 22 5.5 20.3 7.2z"],
};

function icon(name) {
  const made = svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" });
  made.append(...ICONS[name].map((d) => svg("path", { d, fill: "currentColor" })));
  return made;
}

const byId = (id) => document.getElementById(id);

/** A button with an icon, and its name beside it where there is room. */
function withIcon(name, made, text = "") {
  made.append(icon(name), ...(text ? [element("span", "long", text)] : []));
  return made;
}

function centreOf(polygon) {
  return [0, 1].map((axis) => polygon.reduce((sum, point) => sum + point[axis], 0) / polygon.length);
}

export class Evidence {
  /** `isRunning` says whether the match still runs, so that clips are still made; `about` brings what is kept of it. */
  constructor(here, onFrame, isRunning, about) {
    this.here = here;
    this.isRunning = isRunning;
    this.wasRunning = false; // since this page is open: its last clips may still be written when it is over
    this.about = about;
    this.onFrame = onFrame;
    this.stage = byId("stage");
    this.controls = byId("controls");
    this.shown = 0; // counts the cases that were shown, so that late answers of earlier ones are dropped
    this.askedFor = null; // the verdict whose pictures are asked for or shown
    this.drawn = 0; // counts the drawings, likewise
    this.forget();
    this.listen();
  }

  forget() {
    this.shown += 1;
    this.drawn += 1;
    clearTimeout(this.timer);
    for (const url of this.urls?.values() ?? []) url.then((made) => made && URL.revokeObjectURL(made));
    Object.assign(this, { clip: null, verdictId: null, place: 0, isPlaying: false, speed: 0.25, isLooping: true, isPair: false, isDrawn: true, urls: new Map(), zoom: 1, panX: 0, panY: 0, timer: 0, contacts: [] });
  }

  /** Loads the pictures of `verdict` and shows the first contact. */
  async show(verdict, looks = 1) {
    this.forget();
    this.askedFor = verdict.verdict_id;
    const mine = this.shown;
    this.stage.replaceChildren();
    this.controls.hidden = true;
    if (looks === 1) this.say(t("review.loading"), "busy");
    let clip = null;
    try {
      clip = await this.find(verdict);
    } catch (refused) {
      if (mine === this.shown) this.say(t("review.evidence_failed", { why: refused.message }), "bad", button(t("review.try_again"), () => this.show(verdict), "small"));
      return;
    }
    if (mine !== this.shown) return;
    if (clip === null) {
      this.sayNone(verdict, looks);
      return;
    }
    this.say("");
    this.clip = clip;
    this.verdictId = verdict.verdict_id;
    const touches = verdict.plays.map((play) => ({ us: play.touch.end_us, player: play.player ?? t("verdict.nobody") }));
    this.contacts = (touches.length > 0 ? touches : [{ us: verdict.when.end_us, player: "" }]).sort((a, b) => a.us - b.us);
    this.first = this.placeAt(this.contacts[0].us - AROUND_US);
    this.last = this.placeAt(this.contacts.at(-1).us + AROUND_US);
    this.place = this.placeAt(this.contacts[0].us);
    this.drawControls();
    this.draw();
  }

  /** What stands in the place of the pictures; an empty text: nothing. */
  say(text, tone = "", ...more) {
    const box = byId("no-evidence");
    box.hidden = text === "";
    box.className = tone;
    if (text !== box.firstChild?.textContent || more.length > 0) box.replaceChildren(...(text ? [element("span", "", text)] : []), ...more);
  }

  /** There is no clip: it was only told, its clip is not whole yet, or none is kept. */
  async sayNone(verdict, looks) {
    const mine = this.shown;
    if (verdict.evidence.length === 0) {
      this.say(t("review.told"));
      return;
    }
    const { keeps_clips: isKept } = await this.about;
    if (mine !== this.shown) return;
    if (!isKept) {
      this.say(t("live.no_picture_kept"));
      return;
    }
    this.wasRunning ||= this.isRunning();
    const isLookedFor = this.isRunning() || looks < MOST_LOOKS;
    const isAwaited = isLookedFor && this.wasRunning;
    this.say(t(isAwaited ? "review.cutting" : "review.no_evidence"), isAwaited ? "busy" : "");
    if (isLookedFor) this.timer = setTimeout(() => mine === this.shown && this.show(verdict, looks + 1), LATER_MS);
  }

  async find(verdict) {
    const found = await clipOf(this.here, verdict);
    if (found === null) return null;
    const clip = await wholeClip(this.here, found);
    const zone = clip.zones.find((each) => each.pile === verdict.pile);
    return clip.times_us.length === 0 ? null : { ...clip, times: clip.times_us, centre_px: zone ? centreOf(zone.polygon_px) : null };
  }

  /** The place of the frame that is shown at `us`. */
  placeAt(us) {
    const later = this.clip.times.findIndex((time) => time > us);
    return Math.max((later < 0 ? this.clip.times.length : later) - 1, 0);
  }

  // -- pictures ---------------------------------------------------------------------------------------------

  picture(place) {
    const key = `${place} ${this.isDrawn}`;
    if (!this.urls.has(key)) {
      this.urls.set(key, frameUrl(this.here, this.clip, this.clip.times[place], this.isDrawn ? this.verdictId : null).catch(() => {
        this.urls.delete(key); // asked for again the next time
        return null;
      }));
      while (this.urls.size > KEPT_FRAMES) {
        const [oldest, url] = this.urls.entries().next().value;
        this.urls.delete(oldest);
        url.then((made) => made && URL.revokeObjectURL(made));
      }
    }
    return this.urls.get(key);
  }

  figures() {
    const wanted = this.isPair && this.contacts.length > 1 ? this.contacts.slice(0, 2).map((contact) => ({ place: this.placeAt(contact.us), caption: t("review.contact_of", { player: contact.player }) })) : [{ place: this.place, caption: "" }];
    this.stage.classList.toggle("pair", wanted.length > 1);
    while (this.stage.children.length > wanted.length) this.stage.lastElementChild.remove();
    while (this.stage.children.length < wanted.length) {
      const made = element("figure");
      made.append(element("img"), element("figcaption"));
      this.stage.append(made);
    }
    return wanted;
  }

  async draw() {
    this.drawn += 1;
    const mine = this.drawn;
    const wanted = this.figures();
    this.onFrame(this.clip.times[wanted[0].place]);
    this.drawPlace();
    await Promise.all(wanted.map(async ({ place, caption }, i) => {
      const figure = this.stage.children[i];
      figure.classList.add("loading");
      const url = await this.picture(place);
      if (mine !== this.drawn) return;
      figure.classList.remove("loading");
      figure.classList.toggle("failed", url === null);
      const time = clockText(this.clip.times[place]);
      const image = figure.querySelector("img");
      if (url && image.src !== url) {
        image.src = url;
        await image.decode().catch(() => null);
        if (image.naturalWidth > 0) this.stage.style.setProperty("--ratio", (image.naturalWidth / image.naturalHeight).toFixed(4));
      }
      const said = `${caption} ${t("review.frame_at", { time })}`.trim();
      image.alt = said;
      if (url) image.dataset.us = this.clip.times[place];
      figure.querySelector("figcaption").textContent = url ? said : `${said} · ${t("review.frame_failed")}`;
      image.style.transform = `translate(${this.panX}%, ${this.panY}%) scale(${this.zoom})`;
    }));
    this.stage.classList.toggle("zoomed", this.zoom > 1);
    if (mine === this.drawn && !this.isPair) for (let i = 1; i <= AHEAD; i += 1) if (this.place + i < this.clip.times.length) this.picture(this.place + i);
  }

  // -- controls ---------------------------------------------------------------------------------------------

  drawControls() {
    const made = (text, label, act, id) => Object.assign(button(text, act), { title: label, id, ariaLabel: label });
    const scrub = Object.assign(element("input"), { type: "range", id: "scrub", min: 0, max: this.clip.times.length - 1, step: 1, ariaLabel: t("review.evidence") });
    scrub.addEventListener("input", () => this.goTo(Number(scrub.value)));
    const speed = element("select");
    speed.id = "speed";
    speed.append(...SPEEDS.map((each) => new Option(`${each}×`, each, false, each === this.speed)));
    speed.addEventListener("change", () => { this.speed = Number(speed.value); });
    Object.assign(speed, { ariaLabel: t("review.speed"), title: t("review.speed") });
    const where = element("div", "where");
    where.append(scrub, Object.assign(element("span"), { id: "where", role: "status" }));
    this.controls.replaceChildren(
      where,
      withIcon("previous", made("", t("review.previous"), () => this.step(-1), "previous")),
      withIcon("play", made("", t("review.play_pause"), () => this.playOrPause(), "play")),
      withIcon("next", made("", t("review.next"), () => this.step(1), "next")),
      speed,
      withIcon("loop", made("", t("review.loop"), () => this.toggleLoop(), "loop"), t("review.loop")),
      made("−", t("review.zoom_out"), () => this.zoomBy(1 / 1.5), "zoom-out"),
      made("+", t("review.zoom_in"), () => this.zoomBy(1.5), "zoom-in"),
      made("1:1", t("review.zoom_reset"), () => this.zoomReset(), "zoom-reset"),
      ...(this.contacts.length > 1 ? [withIcon("pair", made("", t("review.side_by_side"), () => this.togglePair(), "pair"), t("review.side_by_side"))] : []),
      withIcon("drawn", made("", t("review.drawn"), () => this.toggleDrawn(), "drawn"), t("review.drawn")),
    );
    this.controls.hidden = false;
  }

  drawPlace() {
    byId("scrub").value = this.place;
    byId("where").textContent = `${t("review.frame", { n: this.place + 1, count: this.clip.times.length })} · ${clockText(this.clip.times[this.place])}`;
    byId("play").replaceChildren(icon(this.isPlaying ? "pause" : "play"));
    byId("speed").value = this.speed;
    const pressed = { loop: this.isLooping, pair: this.isPair, drawn: this.isDrawn };
    for (const [id, value] of Object.entries(pressed)) byId(id)?.setAttribute("aria-pressed", String(value));
  }

  goTo(place) {
    if (!this.clip) return;
    this.place = Math.min(Math.max(place, 0), this.clip.times.length - 1);
    this.isPair = false;
    this.draw();
  }

  /** One frame on or back; what plays stands still. */
  step(by) {
    this.freeze();
    this.goTo(this.place + by);
  }

  freeze() {
    this.isPlaying = false;
    clearTimeout(this.timer);
    if (this.clip) this.drawPlace();
  }

  playOrPause() {
    if (!this.clip) return;
    if (this.isPlaying) {
      this.freeze();
      return;
    }
    this.isPlaying = true;
    if (this.place >= this.last) this.place = this.first;
    this.tick();
  }

  /** The next frame when its own time has come, at the speed chosen. */
  async tick() {
    const mine = this.shown;
    this.isPair = false;
    await this.draw();
    if (!this.isPlaying || mine !== this.shown) return;
    const isAtEnd = this.place >= this.last;
    if (isAtEnd && !this.isLooping) {
      this.freeze();
      return;
    }
    const next = isAtEnd ? this.first : this.place + 1;
    const waitUs = isAtEnd ? 400_000 : this.clip.times[next] - this.clip.times[this.place];
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.isPlaying || mine !== this.shown) return;
      this.place = next;
      this.tick();
    }, waitUs / 1000 / this.speed);
  }

  faster(by) {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)];
    if (this.clip) this.drawPlace();
  }

  toggleLoop() {
    this.isLooping = !this.isLooping;
    if (this.clip) this.drawPlace();
  }

  togglePair() {
    if (!this.clip || this.contacts.length < 2) return;
    this.freeze();
    this.isPair = !this.isPair;
    this.draw();
  }

  toggleDrawn() {
    this.isDrawn = !this.isDrawn;
    this.draw();
  }

  zoomBy(factor) {
    if (!this.clip) return;
    const centre = this.centre();
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM);
    this.panX = (0.5 - centre.x) * this.zoom * 100;
    this.panY = (0.5 - centre.y) * this.zoom * 100;
    this.keepInside();
    this.draw();
  }

  zoomReset() {
    Object.assign(this, { zoom: 1, panX: 0, panY: 0 });
    if (this.clip) this.draw();
  }

  /** What is in the middle, as parts of the picture; of the whole picture, the pile that it is about. */
  centre() {
    const image = this.stage.querySelector("img");
    if (this.zoom === 1 && this.clip.centre_px && image?.naturalWidth > 0) {
      return { x: this.clip.centre_px[0] / image.naturalWidth, y: this.clip.centre_px[1] / image.naturalHeight };
    }
    return { x: 0.5 - this.panX / 100 / this.zoom, y: 0.5 - this.panY / 100 / this.zoom };
  }

  keepInside() {
    const most = ((this.zoom - 1) / 2) * 100;
    this.panX = Math.min(Math.max(this.panX, -most), most);
    this.panY = Math.min(Math.max(this.panY, -most), most);
  }

  /** Wheel and pinch zoom; dragging moves the picture. */
  listen() {
    const pointers = new Map();
    let pinch = 0;
    this.stage.addEventListener("wheel", (event) => {
      if (!this.clip) return;
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15);
    }, { passive: false });
    this.stage.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      this.stage.setPointerCapture(event.pointerId);
    });
    this.stage.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before || !this.clip) return;
      pointers.set(event.pointerId, event);
      if (pointers.size === 1) {
        const box = this.stage.firstElementChild.getBoundingClientRect();
        this.panX += ((event.clientX - before.clientX) / box.width) * 100;
        this.panY += ((event.clientY - before.clientY) / box.height) * 100;
        this.keepInside();
        this.draw();
        return;
      }
      const [a, b] = [...pointers.values()];
      const apart = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (pinch > 0) this.zoomBy(apart / pinch);
      pinch = apart;
    });
    for (const name of ["pointerup", "pointercancel"]) {
      this.stage.addEventListener(name, (event) => {
        pointers.delete(event.pointerId);
        pinch = 0;
      });
    }
  }
}
