"""The numbers by which the table is watched, each with its unit and its reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    """Thresholds of the watcher. Brightness is in grey levels, 0..255."""

    watch_px_per_mm: float = 1.0
    """Scale of the grey picture that every frame is turned into: a card's index is still 6 x 12 px."""
    watch_px_at_most: int = 700_000
    """Larger tables are watched at a smaller scale: 2.5 s at 60 fps then stay within 105 MB."""
    read_px_per_mm_at_most: float = 3.0
    """Zones are read at the picture's own scale up to this; more only costs time."""
    px_per_mm_wanted: float = 1.5
    """Below this a warning is given: an index glyph of 6 x 12 mm then has fewer than 9 x 18 px."""

    motion_levels: int = 14
    """A pixel of the smoothed picture that changes by more from one frame to the next has moved."""
    change_levels: int = 22
    """A pixel that differs by more from the pile at rest has changed: above sensor noise and JPEG ringing."""
    still_mm2: float = 30.0
    """No more than this may move in a zone that is settling: less than a fingertip."""
    disturbed_mm2: float = 60.0
    """More than this changed in a zone at rest: something is there."""
    same_mm2: float = 60.0
    """No more than this differs after a disturbance: the pile is as it was."""
    hand_over_mm2: float = 80.0
    """More hand than this over a zone: it is not read."""
    settle_us: int = 150_000
    """How long a zone must be still and free of hands before it is read: 9 frames at 60 fps."""
    retry_us: int = 100_000
    """Time between tries to read a pile that could not be read."""
    tries: int = 4
    """So often a pile is tried before it is said to be not legible."""
    drift_us: int = 500_000
    """How often a pile at rest takes over half of the slow change of light."""
    read_confidence: float = 0.5
    """A face below this is not legible."""
    whole_share: float = 0.75
    """A quad of at least this share of 63 x 88 mm is a card that nothing lies on."""

    hand_px_per_mm: float = 0.25
    """Scale at which hands are looked for: a finger of 16 mm is 4 px wide."""
    hand_levels: int = 28
    """A pixel that differs by more from the table's background, in any colour, is in front of it."""
    hand_edge_mm: float = 15.0
    """A hand crosses its player's edge over at least this width: a wrist is wider, a card's corner is not."""
    background_step_us: int = 50_000
    """How often the background looks whether anything stands still."""
    background_levels: int = 12
    """A pixel within this of its last look has stood still."""
    background_still_us: int = 300_000
    """What stood still so long, and is no hand, is background: a card that was put down."""
    background_hand_us: int = 2_000_000
    """What reaches in from an edge must stand still so long: hands seldom do; where one was when the watching
    began, bare table does."""

    look_back_us: int = 2_500_000
    """How far back touches can be found."""
    cell_px: int = 6
    """Side of the cells in which looks are compared."""
    cell_texture_levels: float = 7.0
    """A cell with a smaller standard deviation shows nothing to compare."""
    cell_match: float = 0.85
    """Normalised correlation at which a cell shows the same thing."""
    cell_differs: float = 0.6
    """A cell tells two looks apart when they correlate by less than this."""
    cell_shade_levels: float = 40.0
    """A shadow may darken a cell by as much as this."""
    with_share: float = 0.2
    """A card is in its place when so many of its telling cells match: the hand may cover the rest."""
    without_share: float = 0.05
    """It is surely not when no more than this match."""
    showing_share: float = 0.1
    """A card of which only a strip will show has come when so many of the strip's cells match."""
    near_error: float = 0.15
    """A card is near its place when so many of its telling cells miss the later look by no more than this
    (1 - correlation): about 1 mm of shift."""
    displaced_error: float = 0.03
    """By more than this it is surely not yet in its place: half a millimetre. On 15 simulated landings with
    known touch, this and the two below held the truth in all that were told of, at 42 ms median width."""
    beside_error: float = 0.4
    """By less than this it is surely seen beside its place. What shows neither misses by 0.49 and more in the
    best fifth of its cells."""
    bare_levels: float = 12.0
    """A cell of bare table is as bright as it was to within this: a hand or a card over it seldom is ..."""
    bare_share: float = 0.5
    """... and so many such cells show that nothing lies there yet."""
    rest_error: float = 0.0012
    """It lies when it misses by no more than this above ``rest_factor`` times the least it comes to ..."""
    rest_factor: float = 1.5
    rest_us: int = 130_000
    """... within this time: a hand's shadow may lie on it until then."""
    slack_periods: float = 0.25
    """Touches begin earlier by this share of a frame period, where heights cannot be seen: half of a usual
    exposure ..."""
    slide_us: int = 16_000
    """... and by this: a card that is seen beside its place may lie already, and slide on ..."""
    unseen_slack_periods: float = 1.0
    """... and end later by this: a card that comes down slowly lies over its place before it touches. Of 27
    times when heights were not seen, on four simulated clips, these hold 22; without sliding 18."""
    looks_kept: int = 3
    """Of each pile so many earlier looks are remembered ..."""
    shown_again_us: int = 2_500_000
    """... and where one of them shows again to the pixel, after no longer than this, no card came: something
    lay over the pile meanwhile. Sleeves as dark as the cloth lay over simulated piles for 0.8 to 1.3 s; cards
    that were played and had to be taken back came to their old places after 4."""
    cells_at_least: int = 4
    """Fewer telling cells than this decide nothing."""
    sampled_mm2: float = 300.0
    """So much of a disturbed pile must have changed for a picture of it to be kept: more than one fingertip
    (220 mm2), a twentieth of a card."""
    sample_us: int = 33_000
    """How often a picture of a disturbed pile is kept: two frames at 60 fps."""
    samples_kept: int = 60
    """The last two seconds of one disturbance."""
    persistent_cells: int = 8
    """So many cells (288 mm2) that stay from one sample to the next, and are neither of the look before nor
    of the look after, make it worth reading the sample."""
    samples_read: int = 4
    """No more than so many samples of one disturbance are read."""
    visit_us: int = 110_000
    """What kept its place to half a millimetre for so long lay there: a hand that hovers moves by 2 mm."""
    covered_visit_us: int = 25_000
    """The same for a card that another one came to cover: three frames at 60 fps."""
    covered_slack_periods: float = 1.5
    """A covered card's touch ends later by this share of a frame period where its height was not seen: of six
    simulated ones three touched 4 to 11 ms after the first frame that showed them in their place."""
    shown_share: float = 0.35
    """So many of a card's telling cells are never seen beside an equal card on top of it (18 mm)."""
    hidden_mm2: float = 150.0
    """So much of a card must show beside another one for it to be noticed: a strip of 2.5 mm."""

    seat_share: float = 0.6
    """A seat must have so much of the hands that can have brought a card to be the one that did."""
    race_share: float = 0.75
    """The same where hands of two seats reached for the pile."""
    race_sure_share: float = 0.9
    """With so much it needs no agreement with the side to which the lower of two cards shows."""
    race_before_us: int = 450_000
    """Hands that reached for a pile so long before a touch are in a race for it: 250 ms and the way there."""
    lean_mm: float = 5.0
    """The lower of two cards must show by so much more on one player's side than on the other's."""
    lean_sure_mm: float = 30.0
    """With so much more this tells also where the hands that came one after the other do not: eight of eight
    simulated races, 34 to 104 mm."""
    lean_confidence: float = 0.8
    """How sure its owner is by that alone."""
    own_pile_confidence: float = 0.9
    """How sure it is that a seat's own player brought a card to its pile where no hand tells: the rules let
    nobody else, and another's hand would be seen to come from another edge."""
    came_mm2: float = 150.0
    """So much of a hand over a pile is a finger: it came there."""
    reach_mm: float = 20.0
    """Fingertips this near to a zone reached for its pile; an arm that only crosses it ends elsewhere."""
    hand_rest_us: int = 60_000
    """Fingertips that keep their place for so long touch the pile or hover: a passing hand moves on."""
    hand_rest_mm: float = 5.0
    """Their place: one step of the picture of hands is 4 mm; a passing hand moves 8 mm a frame and more."""
    stop_confidence: float = 0.9
    """How sure it is whose card lies above where the fingers of one seat stopped surely later."""
    finger_levels: int = 30
    """A pixel of a card that differs by more from the card at rest is under a finger."""
    finger_share: float = 0.04
    """Fingers cover at least so much of a card that they put down: one fingertip, 220 mm2 ..."""
    finger_share_at_most: float = 0.6
    """... and no more than this."""
    finger_after_us: int = 70_000
    """So long after a touch its fingers still lie on the card: nobody lets go at once."""
    finger_side_mm: float = 20.0
    """Fingers lie by so much more on one player's side of the card than on the other's. On six simulated
    races it was 24 mm and more, always on the side of who played the upper card."""
    finger_confidence: float = 0.95
    """How sure it is whose card lies above by the fingers that lie on it."""
    brought_share: float = 0.9
    """With so much of the hands over a place as its card came, the seat brought it: hands that meet are
    told apart badly, and then share it by halves."""
    faces_read: int = 6
    """So many samples are read for the face of a card that another one covers."""
    packet_slack_periods: float = 2.0
    """A packet of cards touches up to so many frame periods before its top is seen to lie: of 21 cards that
    were laid down in a simulated clip by one."""
    slap_slack_periods: float = 1.0
    """A hand that slaps comes within ``hand_rest_mm`` of its place a frame before it touches."""
    stock_apart_us: int = 1_000_000
    """A stock that changed within this of the waste was turned onto it, or the waste onto the stock."""

    race_us: int = 1_000_000
    """A card equal to the one at rest that comes later than this after it is no race's: it needs a source."""
    carry_us: int = 4_000_000
    """A card lifted longer ago than this is not the one that lands."""
    source_wait_us: int = 800_000
    """So long a landing waits for the pile that it came from to be seen."""
    lost_us: int = 10_000_000
    """A pile that could not be seen for so long is reported."""
    frozen_us: int = 5_000_000
    """Frames without one changed pixel for so long: the picture is frozen."""
    gap_us: int = 1_000_000
    """Without a picture for so long, and ..."""
    gap_periods: float = 8.0
    """... so many frame periods, whatever happened is not known."""
    slow_factor: float = 1.4
    """A frame period longer than at the start by this: dim light halves the rate of webcams."""
    knock_share: float = 0.7
    """Where so many of the piles with cards change at once, the camera may have been moved: four players'
    hands are over 8 of 30 piles at most."""
    knock_piles: int = 4
    """With fewer piles that hold cards it cannot be told from hands."""
    knock_mm: float = 3.0
    """A table that lies elsewhere in the picture by more than this was moved: cards are found to 0.5 mm."""
    knock_still_mm: float = 1.0
    """It stands still when it moves by no more than this while piles would settle."""
    marker_look_us: int = 10_000_000
    """How often printed markers are looked for while the match runs: one look takes a frame's time."""
    drift_mm: float = 2.0
    """Markers that lie further from where they should are taken as they lie."""
    knock_look_us: int = 100_000
    """A table found in its place is not looked for again within this time: no pile is read sooner."""
    knock_unknown_us: int = 1_000_000
    """A table that is not found for so long is told of: no hands hide all of it."""
    black_levels: float = 8.0
    """A table darker than this on the mean cannot be seen."""
    calibration_frames: int = 5
    """In so many frames each marker must be found."""
    calibration_frames_at_most: int = 120
    """Two seconds at 60 fps, then the search for markers is given up."""
