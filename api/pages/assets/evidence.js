// The pictures of a play, frame by frame by their own times: stepping, slow motion, loop, zoom, side by side.

import { button, clockText, element } from "./elements.js";
import { clipOf, frameUrl, timesOf } from "./clips.js";
import { t } from "./words.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1];
const KEPT_FRAMES = 60;
const AHEAD = 4; // frames fetched before they are asked for
const AROUND_US = 900_000; // before and after the touches: what is looped
const MOST_ZOOM = 12;
const USUAL_WIDTH = 1280; // of a frame that is shown whole; one that is zoomed comes as it was filmed
const LATER_MS = 3000; // a clip is whole some seconds after the play

const byId = (id) => document.getElementById(id);

export class Evidence {
  constructor(here, onFrame) {
    this.here = here;
    this.onFrame = onFrame;
    this.stage = byId("stage");
    this.controls = byId("controls");
    this.shown = 0; // counts what is shown, so that late answers of earlier cases are dropped
    this.forget();
    this.listen();
  }

  forget() {
    this.shown += 1;
    clearTimeout(this.timer);
    for (const url of this.urls?.values() ?? []) url.then((made) => made && URL.revokeObjectURL(made));
    Object.assign(this, { clip: null, verdictId: null, place: 0, isPlaying: false, speed: 0.25, isLooping: true, isPair: false, isDrawn: true, urls: new Map(), zoom: 1, panX: 0, panY: 0, timer: 0, contacts: [] });
  }

  /** Loads the pictures of `verdict` and shows the first contact. */
  async show(verdict) {
    this.forget();
    const mine = this.shown;
    this.stage.replaceChildren();
    this.controls.hidden = true;
    byId("no-evidence").hidden = true;
    const clip = await this.find(verdict).catch(() => null);
    if (mine !== this.shown) return;
    if (clip === null) {
      byId("no-evidence").textContent = t(verdict.evidence.length > 0 ? "review.no_evidence" : "review.told");
      byId("no-evidence").hidden = false;
      if (verdict.evidence.length > 0) this.timer = setTimeout(() => mine === this.shown && this.show(verdict), LATER_MS);
      return;
    }
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

  async find(verdict) {
    const clip = await clipOf(this.here, verdict);
    const times = clip === null ? [] : await timesOf(this.here, clip);
    return times.length === 0 ? null : { ...clip, times };
  }

  /** The place of the frame that is shown at `us`. */
  placeAt(us) {
    const later = this.clip.times.findIndex((time) => time > us);
    return Math.max((later < 0 ? this.clip.times.length : later) - 1, 0);
  }

  // -- pictures ---------------------------------------------------------------------------------------------

  picture(place) {
    const width = this.zoom > 1.2 ? null : USUAL_WIDTH;
    const key = `${place} ${this.isDrawn} ${width}`;
    if (!this.urls.has(key)) {
      const look = { verdictId: this.isDrawn ? this.verdictId : null, width };
      this.urls.set(key, frameUrl(this.here, this.clip, this.clip.times[place], look).catch(() => null));
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
    const mine = this.shown;
    const wanted = this.figures();
    this.onFrame(this.clip.times[wanted[0].place]);
    this.drawPlace();
    await Promise.all(wanted.map(async ({ place, caption }, i) => {
      const url = await this.picture(place);
      const figure = this.stage.children[i];
      if (mine !== this.shown || !figure || (wanted.length === 1 && place !== this.place)) return;
      const time = clockText(this.clip.times[place]);
      const image = figure.querySelector("img");
      if (url && image.src !== url) image.src = url;
      image.alt = `${caption} ${t("review.frame_at", { time })}`.trim();
      image.dataset.us = this.clip.times[place];
      figure.querySelector("figcaption").textContent = `${caption} ${t("review.frame_at", { time })}`.trim();
      image.style.transform = `translate(${this.panX}%, ${this.panY}%) scale(${this.zoom})`;
    }));
    this.stage.classList.toggle("zoomed", this.zoom > 1);
    if (mine === this.shown && !this.isPair) for (let i = 1; i <= AHEAD; i += 1) if (this.place + i < this.clip.times.length) this.picture(this.place + i);
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
    const speedLabel = element("label", "", t("review.speed"));
    speedLabel.append(speed);
    this.controls.replaceChildren(
      scrub,
      made("⏮︎ ,", t("review.previous"), () => this.step(-1), "previous"),
      made("▶︎", t("review.play_pause"), () => this.playOrPause(), "play"),
      made(". ⏭︎", t("review.next"), () => this.step(1), "next"),
      speedLabel,
      made(t("review.loop"), t("review.loop"), () => this.toggleLoop(), "loop"),
      made("−", t("review.zoom_out"), () => this.zoomBy(1 / 1.5), "zoom-out"),
      made("+", t("review.zoom_in"), () => this.zoomBy(1.5), "zoom-in"),
      made("1:1", t("review.zoom_reset"), () => this.zoomReset(), "zoom-reset"),
      ...(this.contacts.length > 1 ? [made(t("review.side_by_side"), t("review.side_by_side"), () => this.togglePair(), "pair")] : []),
      made(t("review.drawn"), t("review.drawn"), () => this.toggleDrawn(), "drawn"),
      Object.assign(element("span"), { id: "where", role: "status" }),
    );
    this.controls.hidden = false;
  }

  drawPlace() {
    byId("scrub").value = this.place;
    byId("where").textContent = `${t("review.frame", { n: this.place + 1, count: this.clip.times.length })} · ${clockText(this.clip.times[this.place])}`;
    byId("play").textContent = this.isPlaying ? "⏸︎" : "▶︎";
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
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM);
    this.keepInside();
    this.draw();
  }

  zoomReset() {
    Object.assign(this, { zoom: 1, panX: 0, panY: 0 });
    if (this.clip) this.draw();
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
