"""Webhooks: other servers that are told what happens, each delivery signed."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from api.session_schemas import DeliveryOut, NewWebhookOut, WebhookIn, WebhookOut
from api.store.webhooks import Webhook
from api.v1.asking import Admin
from api.v1.session import TheStore

router = APIRouter(prefix="/api/v1/webhooks", tags=["administration"])


@router.get("")
def webhooks(_: Admin, store: TheStore) -> list[WebhookOut]:
    """All webhooks, oldest first."""
    return [_view(webhook) for webhook in store.webhooks.all()]


@router.post("", status_code=201)
def make_webhook(wanted: WebhookIn, _: Admin, store: TheStore) -> NewWebhookOut:
    """Tell another server from now on; the secret that signs what it is told is shown this once."""
    try:
        webhook = store.webhooks.make(wanted.url, wanted.events)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    return NewWebhookOut(secret=webhook.secret, made=_view(webhook))


@router.delete("/{webhook_id}", status_code=204)
def remove_webhook(webhook_id: str, _: Admin, store: TheStore) -> None:
    """Tell it no more."""
    if not store.webhooks.remove(webhook_id):
        raise _unknown(webhook_id)


@router.get("/{webhook_id}/deliveries")
def deliveries(
    webhook_id: str, _: Admin, store: TheStore, limit: Annotated[int, Query(ge=1, le=1_000)] = 100
) -> list[DeliveryOut]:
    """What it was told, and what it is still to be told, newest first."""
    if all(webhook.webhook_id != webhook_id for webhook in store.webhooks.all()):
        raise _unknown(webhook_id)
    return [
        DeliveryOut(
            event_id=each.event_id,
            event=each.event,
            attempts=each.attempts,
            status=each.status,
            due_at=each.due_at,
        )
        for each in store.webhooks.deliveries(webhook_id, limit)
    ]


def _unknown(webhook_id: str) -> HTTPException:
    return HTTPException(404, f"no webhook {webhook_id!r} (see /api/v1/webhooks)")


def _view(webhook: Webhook) -> WebhookOut:
    return WebhookOut(
        webhook_id=webhook.webhook_id, url=webhook.url, events=webhook.events, made_at=webhook.made_at
    )
