"""Labelled pictures in the formats of other programs: YOLO, COCO and CVAT, to and from index rows."""
